"""tensorflow.python.ops.numpy_ops.np_dtypes: whether floats without a dtype are narrow."""

from eagerflow.experimental.numpy.dtypes import default_float
from eagerflow.experimental.numpy.dtypes import prefer_float32 as set_prefer_float32

__all__ = ["is_prefer_float32", "set_prefer_float32"]


def is_prefer_float32() -> bool:
    """Whether floats without a dtype are float32."""
    return default_float().name == "float32"
