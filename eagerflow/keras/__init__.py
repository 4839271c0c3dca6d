"""tf.keras: layers, models and their training, as in Keras 2."""

import sys as _sys
import typing as _typing

from eagerflow.util import lazy

_imported, __dir__, __all__ = lazy.attach(__name__)


def __getattr__(name: str) -> _typing.Any:
    """Imports a name when it is first asked for."""
    found = _imported(name)
    # Functions of tensors take symbolic ones, too, if there are models with such.
    dispatch = _sys.modules.get("eagerflow.keras.engine.dispatch")
    if dispatch is not None:
        dispatch.notice_loaded()
    return found
