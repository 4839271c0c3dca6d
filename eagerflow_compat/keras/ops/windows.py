"""Windows of signals under NumPy's names, and `geomspace`."""

from __future__ import annotations

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.keras import config
from eagerflow.ops import conversion
from eagerflow.ops.numpy_functions.creation import logspace
from eagerflow.signal import windows as shapes
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.keras.ops.promotion import KERAS, tensor

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def bartlett(x: int) -> Tensor:
    """Bartlett's window of a length, which rises to one in a straight line.

    >>> print(tf.keras.ops.bartlett(5).numpy())
    [0.  0.5 1.  0.5 0. ]
    """
    length = int(x)
    if length < 2:
        return _ops.ones([length], dtypes.float32)
    ramp = _ops.cast(_ops.range(0, length, 1), dtypes.float32) * (2.0 / (length - 1))
    return _ops.minimum(ramp, 2.0 - ramp)


@op_function
def blackman(x: int) -> Tensor:
    """Blackman's window of a length, a sum of three cosines.

    >>> print(tf.keras.ops.blackman(3).numpy().round(2) + 0.0)
    [0. 1. 0.]
    """
    length = int(x)
    if length < 2:
        return _ops.ones([length], dtypes.float32)
    turns = _ops.cast(_ops.range(0, length, 1), dtypes.float32) * (6.283185307179586 / (length - 1))
    return 0.42 - 0.5 * _ops.cos(turns) + 0.08 * _ops.cos(turns * 2.0)


@op_function
def hamming(x: int) -> Tensor:
    """Hamming's window of a length.

    >>> print(tf.keras.ops.hamming(3).numpy().round(2))
    [0.08 1.   0.08]
    """
    return shapes.hamming_window(int(x), periodic=False)


@op_function
def hanning(x: int) -> Tensor:
    """Hann's window of a length.

    >>> print(tf.keras.ops.hanning(3).numpy().round(2))
    [0. 1. 0.]
    """
    return shapes.hann_window(int(x), periodic=False)


@op_function
def kaiser(x: int, beta: float) -> Tensor:
    """Kaiser's window of a length.

    >>> print(tf.keras.ops.kaiser(3, 0.0).numpy())
    [1. 1. 1.]
    """
    return shapes.kaiser_window(int(x), beta=beta)


@op_function
def geomspace(
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """A geometric sequence between two bounds of the same sign.

    >>> print(tf.keras.ops.geomspace(1.0, 100.0, 3).numpy().round(3))
    [  1.  10. 100.]
    """
    kind = dtypes.as_dtype(dtype or config.floatx())
    first, last = (conversion.cast(tensor(bound), kind) for bound in (start, stop))
    low, high = (_ops.log(_ops.abs(bound)) / 2.302585092994046 for bound in (first, last))
    sizes = logspace(KERAS, low, high, num, endpoint, 10, dtype, axis)
    return sizes * conversion.cast(_ops.sign(first), sizes.dtype)
