"""Namespaces of TensorFlow that packages of their own have: they answer where these are installed."""

from __future__ import annotations

import importlib.util

from eagerflow.util import optional

# From a namespace to the modules that have its names, best first. Modules below the namespace are
# below the last one.
_MODULES: dict[str, tuple[str, ...]] = {
    "contrib.framework": (
        "eagerflow.contrib.framework",
        "tf_slim.ops.arg_scope",
        "tf_slim.ops.variables",
        "tf_slim.ops.framework_ops",
        "tf_slim.ops",
    ),
    "contrib.layers": ("tf_slim.layers",),
    "contrib.losses": ("eagerflow.contrib.losses", "tf_slim.losses"),
    "contrib.metrics": ("eagerflow.contrib.metrics", "tf_slim.metrics"),
    "contrib.slim": ("tf_slim",),
    "contrib.training": (
        "eagerflow.contrib.training",
        "tf_slim.training.evaluation",
        "tf_slim.training.training",
        "tf_slim.training",
    ),
}


def namespace_of(path: str) -> str | None:
    """The namespace of a package that a path below `tensorflow` is, or is in.

    >>> from eagerflow_compat.dropin import packages
    >>> packages.namespace_of("contrib.slim.nets"), packages.namespace_of("contrib.crf")
    ('contrib.slim', None)
    """
    return next((name for name in _MODULES if f"{path}.".startswith(f"{name}.")), None)


def _is_installed(namespace: str) -> bool:
    return importlib.util.find_spec(_package_of(namespace)) is not None


def _package_of(namespace: str) -> str:
    return _MODULES[namespace][-1].partition(".")[0]


def modules(path: str) -> tuple[str, ...]:
    """The modules that answer for a path below `tensorflow`, best first; none without their package."""
    namespace = namespace_of(path)
    if namespace is None or not _is_installed(namespace):
        return ()
    listed = _MODULES[namespace]
    return listed if path == namespace else (listed[-1] + path[len(namespace) :],)


def names(path: str) -> list[str]:
    """The installed namespaces directly below a path."""
    below = [name for name in _MODULES if name.rpartition(".")[0] == path]
    return [name.rpartition(".")[2] for name in below if _is_installed(name)]


def advice(path: str) -> str | None:
    """How the package is installed that has a path, or None if it is installed or there is none.

    >>> from eagerflow_compat.dropin import packages
    >>> packages.advice("contrib.crf.crf_decode") is None
    True
    """
    namespace = namespace_of(path)
    if namespace is None or _is_installed(namespace):
        return None
    module = _package_of(namespace)
    package = optional.PACKAGES[module][0]
    return f"The package {package} has tf.{namespace}: {optional.command(module)}"
