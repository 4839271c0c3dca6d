"""tf.compat.v1.user_ops: the example of an operation that TensorFlow has."""

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes


def my_fact() -> _core.Tensor:
    """The fact that TensorFlow's example of an operation tells.

    >>> tf.compat.v1.user_ops.my_fact().numpy()
    b'0! == 1'
    """
    return _core.convert("0! == 1", dtypes.string, None)
