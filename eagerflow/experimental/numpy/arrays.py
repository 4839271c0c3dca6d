"""Arrays from values, shapes and other arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental.numpy import dtypes

ndarray = tf.Tensor


def asarray(a: Any, dtype: Any = None) -> tf.Tensor:
    """The value as a tensor, with NumPy's dtype for Python numbers.

    >>> tf.experimental.numpy.asarray([1, 2]).dtype
    tf.int64
    """
    if dtype is not None:
        dtype = tf.as_dtype(dtypes.as_numpy(dtype))
    if isinstance(a, tf.Tensor):
        return a if dtype is None or a.dtype == dtype else tf.cast(a, dtype)
    if isinstance(a, tf.Variable):
        return asarray(tf.convert_to_tensor(a), dtype)
    if isinstance(a, list | tuple) and any(
        isinstance(leaf, tf.Tensor | tf.Variable) for leaf in tf.nest.flatten(a)
    ):
        dtype = dtypes.result_type(*tf.nest.flatten(a)) if dtype is None else dtype
        return tf.stack([asarray(item, dtype) for item in a])
    values = np.asarray(a)
    if dtype is None and not isinstance(a, np.ndarray | np.generic):
        dtype = tf.as_dtype(dtypes.narrowed(values.dtype))
    return tf.cast(tf.constant(values), dtype) if dtype is not None else tf.constant(values)


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> tf.Tensor:
    """A tensor of the value, of rank `ndmin` at least; tensors never change, so none is copied.

    >>> tf.experimental.numpy.array([1.0, 2.0]).dtype
    tf.float64
    """
    result = asarray(val, dtype)
    missing = max(0, ndmin - len(result.shape))
    return tf.reshape(result, [1] * missing + result.shape.as_list()) if missing else result


asanyarray = asarray
ascontiguousarray = asarray


def copy(a: Any) -> tf.Tensor:
    """A tensor of the same values."""
    return tf.identity(asarray(a))


def promoted(*values: Any) -> list[tf.Tensor]:
    """The values as tensors of the dtype that NumPy promotes them to."""
    dtype = dtypes.result_type(*values)
    return [asarray(value, dtype) for value in values]


def promoted_floats(*values: Any) -> list[tf.Tensor]:
    """The values as tensors of one floating (or complex) dtype."""
    found = promoted(*values)
    return [tf.cast(value, dtypes.floating(value.dtype)) for value in found]


def _dtype(dtype: Any) -> tf.DType:
    return tf.as_dtype(dtypes.narrowed(dtypes.as_numpy(dtype)) if dtype is float else dtype)


def zeros(shape: Any, dtype: Any = float) -> tf.Tensor:
    """Zeros; float64 by default."""
    return tf.zeros(shape, _dtype(dtype))


def ones(shape: Any, dtype: Any = float) -> tf.Tensor:
    """Ones; float64 by default."""
    return tf.ones(shape, _dtype(dtype))


def empty(shape: Any, dtype: Any = float) -> tf.Tensor:
    """Zeros: tensors always have values."""
    return zeros(shape, dtype)


def zeros_like(a: Any, dtype: Any = None) -> tf.Tensor:
    """Zeros of the same shape."""
    a = asarray(a)
    return tf.zeros_like(a, a.dtype if dtype is None else dtype)


def ones_like(a: Any, dtype: Any = None) -> tf.Tensor:
    """Ones of the same shape."""
    a = asarray(a)
    return tf.ones_like(a, a.dtype if dtype is None else dtype)


empty_like = zeros_like


def full(shape: Any, fill_value: Any, dtype: Any = None) -> tf.Tensor:
    """A tensor filled with a value, which is broadcast to the shape."""
    return tf.broadcast_to(asarray(fill_value, dtype), np.atleast_1d(shape).tolist())


def full_like(a: Any, fill_value: Any, dtype: Any = None) -> tf.Tensor:
    """A tensor of the shape, and by default the dtype, of another."""
    a = asarray(a)
    return full(a.shape.as_list(), fill_value, a.dtype if dtype is None else dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> tf.Tensor:
    """Ones on the k-th diagonal of an `[N, M]` matrix, zeros elsewhere.

    >>> tf.experimental.numpy.eye(2, 3, k=1).numpy()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    return tf.constant(np.eye(N, M, k), _dtype(dtype))


def identity(n: int, dtype: Any = float) -> tf.Tensor:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> tf.Tensor:
    """Ones at and below the k-th diagonal."""
    return tf.constant(np.tri(N, M, k), _dtype(float if dtype is None else dtype))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> tf.Tensor:
    """Numbers from `start` (or 0) up to, not including, `stop`.

    >>> tf.experimental.numpy.arange(3).numpy()
    array([0, 1, 2])
    """
    if not step:
        raise ValueError("step must be non-zero")
    if stop is None:
        start, stop = 0, start
    dtype = dtypes.result_type(start, stop, step) if dtype is None else tf.as_dtype(dtype)
    return tf.cast(tf.constant(np.arange(start, stop, step)), dtype)


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Numbers at equal distances, and with `retstep` also the distance.

    >>> tf.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])
    """
    wanted = _dtype(float if dtype is None else dtype)
    start, stop = promoted_floats(start, stop)
    parts = max(num - 1 if endpoint else num, 1)
    step = (stop - start) / parts
    places = tf.cast(tf.range(num), step.dtype)
    places = tf.reshape(places, [num] + [1] * len(step.shape))
    values = start + places * step
    if endpoint and num > 1:
        values = tf.concat([values[:-1], tf.broadcast_to(stop, step.shape)[None]], 0)
    values = tf.cast(values, wanted)
    if axis and len(step.shape):
        order = list(range(1, len(step.shape) + 1))
        order.insert(axis if axis >= 0 else len(order) + 1 + axis, 0)
        values = tf.transpose(values, order)
    return (values, step) if retstep else values


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: float = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> tf.Tensor:
    """Numbers whose logarithms to the base are at equal distances."""
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    result = tf.pow(tf.cast(base, exponents.dtype), exponents)
    return result if dtype is None else tf.cast(result, dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> tf.Tensor:
    """Numbers each of which is the same multiple of the one before."""
    start, stop = promoted_floats(start, stop)
    exponents = linspace(0, 1, num, endpoint)
    exponents = tf.reshape(tf.cast(exponents, start.dtype), [num] + [1] * len(start.shape))
    result = start * tf.pow(stop / start, exponents)
    if axis and len(start.shape):
        result = tf.constant(np.moveaxis(result.numpy(), 0, axis))
    return result if dtype is None else tf.cast(result, dtype)


def diag(v: Any, k: int = 0) -> tf.Tensor:
    """A matrix with a vector on its k-th diagonal, or the k-th diagonal of a matrix.

    >>> tf.experimental.numpy.diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]])
    """
    v = asarray(v)
    if len(v.shape) == 1:
        return tf.linalg.diag(v, k=k)
    if len(v.shape) != 2:
        raise ValueError("Input to diag must be 1-d or 2-d only.")
    rows, columns = v.shape.as_list()
    return tf.linalg.diag_part(v, k=k) if -rows < k < columns else v[:0, 0]


def diagflat(v: Any, k: int = 0) -> tf.Tensor:
    """A matrix with all elements on its k-th diagonal."""
    return diag(tf.reshape(asarray(v), [-1]), k)


def diag_indices(n: int, ndim: int = 2) -> list[tf.Tensor]:
    """The places of the main diagonal of an array of `ndim` axes of size n."""
    return [tf.range(n, dtype=tf.int64)] * ndim


def meshgrid(*xi: Any, **kwargs: Any) -> list[tf.Tensor]:
    """Coordinates of the points of a grid; `indexing` is "xy" or "ij", `sparse` leaves axes of 1."""
    sparse = kwargs.pop("sparse", False)
    if kwargs.pop("copy", True) is not True:
        raise ValueError("copy=False is not possible for tensors")
    indexing = kwargs.pop("indexing", "xy")
    grids = tf.meshgrid(*[asarray(x) for x in xi], indexing=indexing, **kwargs)
    if not sparse:
        return grids
    axes = np.meshgrid(*[np.empty(len(x)) for x in grids and xi], indexing=indexing, sparse=True)
    return [tf.reshape(asarray(x), part.shape) for x, part in zip(xi, axes, strict=True)]


def vander(x: Any, N: int | None = None, increasing: bool = False) -> tf.Tensor:
    """The powers of each number, in columns."""
    x = asarray(x)
    count = x.shape[0] if N is None else N
    powers = tf.cast(tf.range(count), x.dtype)
    if not increasing:
        powers = powers[::-1]
    return tf.pow(x[:, None], powers)


def ix_(*args: Any) -> list[tf.Tensor]:
    """Vectors shaped so that they index a grid together."""
    rank = len(args)
    result = []
    for axis, vector in enumerate(args):
        vector = asarray(vector)
        if len(vector.shape) != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {axis} of rank {len(vector.shape)}")
        if vector.dtype == tf.bool:
            vector = tf.where(vector)[:, 0]
        result.append(tf.reshape(vector, [1] * axis + [-1] + [1] * (rank - 1 - axis)))
    return result
