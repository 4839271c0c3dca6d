"""tensorflow-text's functions, without its kernels: `import tensorflow_text` gives it under the drop-in."""

from typing import Any

from eagerflow.util import lazy

_lazily, __dir__, __all__ = lazy.attach(__name__)
__version__ = "2.21.1"


def __getattr__(name: str) -> Any:
    try:
        return _lazily(name)
    except AttributeError:
        from eagerflow_compat.text.absent import message

        raise AttributeError(message(name), name=name, obj=__name__) from None
