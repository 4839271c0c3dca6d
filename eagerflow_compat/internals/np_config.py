"""tensorflow.python.ops.numpy_ops.np_config: whether tensors behave like NumPy's arrays."""

from eagerflow.experimental.numpy.behavior import (
    experimental_enable_numpy_behavior as enable_numpy_behavior,
)

__all__ = ["enable_numpy_behavior"]
