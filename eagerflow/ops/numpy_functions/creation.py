"""Arrays from values, shapes and other arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.dtypes import DType
from eagerflow.ops import conversion
from eagerflow.ops.linalg import diagonals
from eagerflow.ops.numpy_functions import products, shapes
from eagerflow.ops.numpy_functions.rules import Rules, keeps_weakness, sizes
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _dtype(rules: Rules, dtype: Any) -> DType:
    return rules.float_dtype() if dtype is None or dtype is float else rules.dtype(dtype)


def array(rules: Rules, x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor of a value."""
    return rules.tensor(x, dtype)


def copy(rules: Rules, x: Any) -> Tensor:
    """A tensor of the same values."""
    return _ops.identity(rules.tensor(x))


def zeros(rules: Rules, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros, floating by default."""
    return _ops.zeros(sizes(shape), _dtype(rules, dtype))


def ones(rules: Rules, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
    """Ones, floating by default."""
    return _ops.ones(sizes(shape), _dtype(rules, dtype))


def empty(rules: Rules, shape: ShapeLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros: tensors always have values."""
    return zeros(rules, shape, dtype)


def zeros_like(rules: Rules, x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros of the shape, and by default the dtype, of another array."""
    x = rules.tensor(x)
    zeros = _ops.zeros_like(x)
    return zeros if dtype is None else conversion.cast(zeros, dtype)


def ones_like(rules: Rules, x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Ones of the shape, and by default the dtype, of another array."""
    x = rules.tensor(x)
    ones = _ops.ones_like(x)
    return ones if dtype is None else conversion.cast(ones, dtype)


def empty_like(rules: Rules, x: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    """Zeros of the shape, and by default the dtype, of another array."""
    return zeros_like(rules, x, dtype)


def full_like(rules: Rules, x: TensorLike, fill_value: TensorLike, dtype: Any = None) -> Tensor:
    """A value, broadcast to the shape of another array, whose dtype is the default."""
    x = rules.tensor(x)
    value = rules.tensor(fill_value, x.dtype if dtype is None else dtype)
    return _ops.broadcast_to(value, list(x._sizes()))


def eye(rules: Rules, N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones on the k-th diagonal of an `[N, M]` matrix, zeros elsewhere; floating by default.

    >>> tf.experimental.numpy.eye(2, 3, k=1).numpy()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    return rules.tensor(np.eye(N, M, k), _dtype(rules, dtype))


def identity(rules: Rules, n: int, dtype: DTypeLike | None = None) -> Tensor:
    """The identity matrix, floating by default."""
    return eye(rules, n, dtype=dtype)


def tri(rules: Rules, N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones at and below the k-th diagonal of an `[N, M]` matrix; floating by default."""
    return rules.tensor(np.tri(N, M, k), _dtype(rules, dtype))


def linspace(
    rules: Rules,
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Any:
    """`num` evenly spaced values from `start` to `stop`, along a new axis.

    Args:
        start: the first values.
        stop: the last values.
        num: the number of values.
        endpoint: whether `stop` is the last value; otherwise it would be the next one.
        retstep: whether to return the step, too.
        dtype: the dtype of the values, floating by default.
        axis: the new axis.

    >>> tf.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])
    """
    start, stop = rules.floats(start, stop)
    step = (stop - start) / float(max(num - 1 if endpoint else num, 1))
    steps = _ops.reshape(_ops.cast(_ops.range(0, num, 1), step.dtype), [num] + [1] * step.ndim)
    values = start + steps * step
    if endpoint and num > 1:
        last = _ops.expand_dims(stop + _ops.zeros_like(step), 0)
        values = _ops.concat([values[:-1], last], 0)
    values = shapes.move_axis(values, 0, axis)
    if dtype is not None:
        values = conversion.cast(values, _dtype(rules, dtype))
    return (values, step) if retstep else values


def logspace(
    rules: Rules,
    start: TensorLike,
    stop: TensorLike,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: DTypeLike | None = None,
    axis: int = 0,
) -> Tensor:
    """Powers of `base` whose exponents are evenly spaced, as those of `linspace`."""
    exponents = linspace(rules, start, stop, num, endpoint, axis=axis)
    values = _ops.pow(_ops.cast(base, exponents.dtype), exponents)
    return values if dtype is None else conversion.cast(values, _dtype(rules, dtype))


def diag(rules: Rules, x: TensorLike, k: int = 0) -> Tensor:
    """A matrix with a vector on its k-th diagonal, or the k-th diagonal of a matrix.

    Raises:
        ValueError: for a rank other than 1 and 2.

    >>> tf.experimental.numpy.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]])
    """
    x = rules.tensor(x)
    if x.ndim == 1:
        return diagonals.diag(x, k=k)
    if x.ndim != 2:
        raise ValueError("Input to diag must be 1-d or 2-d only.")
    return products.diagonal(rules, x, k)


def diagflat(rules: Rules, x: TensorLike, k: int = 0) -> Tensor:
    """A matrix with all elements on its k-th diagonal."""
    return diag(rules, shapes.ravel(rules, x), k)


@keeps_weakness
def vander(rules: Rules, x: TensorLike, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements, as columns."""
    x = rules.tensor(x)
    powers = _ops.range(0, x._sizes()[0] if N is None else N, 1)
    powers = powers if increasing else _ops.reverse(powers, [0])
    return _ops.pow(_ops.expand_dims(x, -1), _ops.cast(powers, x.dtype))
