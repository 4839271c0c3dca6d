"""Which installed package is `tf.keras` where `import keras` is left to what is installed.

TensorFlow has no Keras of its own: `tf.keras` is the package `keras`, or `tf_keras` if the environment
variable TF_USE_LEGACY_KERAS says so. A program that mixes both names gets the same classes by either.
"""

from __future__ import annotations

import functools
import importlib.util
import os

from eagerflow_compat.dropin.generations import wants_keras_2

# The folders of the package of Keras 2 and 3 that have the names of each version's `tf.keras`.
_KERAS_2 = "tf_keras.api._v{version}.keras"
_KERAS_3 = "keras._tf_keras.keras"
# The paths below `tensorflow` that are Keras's in version 2.
_OF_KERAS = ("keras", "initializers", "losses", "metrics", "optimizers")


def names(inside: str) -> tuple[str, ...]:
    """The modules below a path in `tensorflow` that an installed Keras answers for.

    Args:
        inside: the path, empty for `tensorflow` itself.
    """
    if _package() is None:
        return ()
    return {"": _OF_KERAS, "compat.v2": _OF_KERAS, "compat.v1": ("keras",)}.get(inside, ())


def module(inside: str) -> str | None:
    """The path of the installed module that answers for a path below `tensorflow`; None if ours does.

    >>> from eagerflow_compat.dropin import installed_keras
    >>> installed_keras.module("math") is None
    True
    """
    root = next(
        (root for root in ("compat.v1", "compat.v2") if f"{inside}.".startswith(f"{root}.")), ""
    )
    head, _, rest = inside.removeprefix(root).lstrip(".").partition(".")
    if head not in names(root):
        return None
    package = (_package() or "").format(version=1 if root == "compat.v1" else 2)
    return ".".join(filter(None, [package, "" if head == "keras" else head, rest]))


@functools.cache
def _package() -> str | None:
    if wants_keras_2():
        return _KERAS_2 if importlib.util.find_spec("tf_keras") else None
    found = importlib.util.find_spec("keras")
    folders = found.submodule_search_locations if found is not None else None
    # Asking for the module itself would import Keras, which then could get no other backend.
    is_third = any(os.path.isdir(os.path.join(folder, "_tf_keras")) for folder in folders or ())
    return _KERAS_3 if is_third else None
