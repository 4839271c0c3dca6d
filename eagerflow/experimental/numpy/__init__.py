"""tf.experimental.numpy: NumPy's functions for tensors, with NumPy's dtypes.

Integers are int64 and floats float64 unless an argument says otherwise, dtypes are promoted as NumPy
promotes them, and gradients flow through all functions that have one. Tensors are never written into.
"""

from __future__ import annotations

from typing import Any

from eagerflow.experimental.numpy import dtypes as _dtypes
from eagerflow.experimental.numpy.arrays import NUMPY as _RULES
from eagerflow.ops.numpy_functions.namespace import maker as _maker
from eagerflow.util import lazy

newaxis = None
_lookup, __dir__, __all__ = lazy.attach(__name__, _maker(__name__, _RULES))


def __getattr__(name: str) -> Any:
    # The default dtypes follow the preference for float32.
    return getattr(_dtypes, name) if name in ("int_", "float_", "complex_") else _lookup(name)
