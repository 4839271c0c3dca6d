"""tf.keras.backend: arithmetic, reductions and products."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.op_function import op_function
from eagerflow.keras import config
from eagerflow.ops import conversion, creation, indexing, reduction
from eagerflow.ops.linalg import products as linear
from eagerflow.ops.linalg.products import l2_normalize as normalized
from eagerflow.typing import Axes, DTypeLike, TensorLike

_ops = _core.ops


def _axes(axis: Axes) -> Any:
    return list(axis) if isinstance(axis, tuple | list) else axis


@op_function
def sum(x: Any, axis: Any = None, keepdims: bool = False) -> _core.Tensor:
    """The sum along axes; of all elements by default.

    >>> float(tf.keras.backend.sum(tf.constant([1.0, 2.0])))
    3.0
    """
    return _ops.reduce_sum(x, _axes(axis), keepdims)


@op_function
def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The product along axes."""
    return _ops.reduce_prod(x, _axes(axis), keepdims)


@op_function
def max(x: Any, axis: Any = None, keepdims: bool = False) -> _core.Tensor:
    """The largest value along axes."""
    return _ops.reduce_max(x, _axes(axis), keepdims)


@op_function
def min(x: Any, axis: Any = None, keepdims: bool = False) -> _core.Tensor:
    """The smallest value along axes."""
    return _ops.reduce_min(x, _axes(axis), keepdims)


def _floats(x: TensorLike) -> _core.Tensor:
    x = _core.as_tensor(x)
    return conversion.cast(x, config.floatx()) if x.dtype.is_bool else x


@op_function
def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean along axes; truth values count as floats.

    >>> float(tf.keras.backend.mean(tf.constant([True, False])))
    0.5
    """
    return _ops.reduce_mean(_floats(x), _axes(axis), keepdims)


@op_function
def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The variance along axes."""
    return reduction.reduce_variance(_floats(x), _axes(axis), keepdims)


@op_function
def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The standard deviation along axes."""
    return reduction.reduce_std(_floats(x), _axes(axis), keepdims)


@op_function
def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether any element along axes is not zero."""
    return _ops.reduce_any(conversion.cast(x, "bool"), _axes(axis), keepdims)


@op_function
def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements along axes are not zero."""
    return _ops.reduce_all(conversion.cast(x, "bool"), _axes(axis), keepdims)


@op_function
def argmax(x: TensorLike, axis: int = -1) -> Any:
    """The index of the largest value along an axis."""
    return _ops.argmax(x, axis)


@op_function
def argmin(x: TensorLike, axis: int = -1) -> Any:
    """The index of the smallest value along an axis."""
    return _ops.argmin(x, axis)


@op_function
def cumsum(x: TensorLike, axis: int = 0) -> Any:
    """Sums of all elements up to each."""
    return _ops.cumsum(x, axis)


@op_function
def cumprod(x: TensorLike, axis: int = 0) -> Any:
    """Products of all elements up to each."""
    return _ops.cumprod(x, axis)


@op_function
def sqrt(x: TensorLike) -> Any:
    """The square root of values clipped to the non-negative finite numbers."""
    x = _core.as_tensor(x)
    return _ops.sqrt(_ops.clip_by_value(x, 0.0, float("inf")))


@op_function
def pow(x: TensorLike, a: TensorLike) -> Any:
    """x to the power of a."""
    return _ops.pow(x, a)


@op_function
def clip(x: TensorLike, min_value: object, max_value: object) -> _core.Tensor:
    """x, clipped to two bounds.

    >>> tf.keras.backend.clip(tf.constant([-1.0, 3.0]), 0.0, 1.0).numpy()
    array([0., 1.], dtype=float32)
    """
    if isinstance(min_value, int | float) and isinstance(max_value, int | float):
        max_value = min_value if max_value < min_value else max_value
    min_value = float("-inf") if min_value is None else min_value
    max_value = float("inf") if max_value is None else max_value
    return linear.clip_by_value(x, min_value, max_value)


@op_function
def dot(x: TensorLike, y: TensorLike) -> _core.Tensor:
    """The product over x's last axis and y's second to last, for tensors of any rank.

    >>> tf.keras.backend.dot(tf.ones([2, 3]), tf.ones([4, 3, 5])).shape
    TensorShape([2, 4, 5])
    """
    x, y = _core.as_tensor(x), _core.as_tensor(y)
    if x.ndim <= 2 and y.ndim <= 2:
        return _ops.matmul(x, y)
    return linear.tensordot(x, y, [[x.ndim - 1], [y.ndim - 2 if y.ndim > 1 else 0]])


@op_function
def batch_dot(x: TensorLike, y: TensorLike, axes: Any = None) -> _core.Tensor:
    """The product of each sample of x with that of y, over an axis of each.

    Args:
        x: a tensor of at least two axes, the first of which is the batch.
        y: another one.
        axes: the axis of each, or of both.

    >>> tf.keras.backend.batch_dot(tf.ones([8, 1, 3]), tf.ones([8, 3, 2])).shape
    TensorShape([8, 1, 2])
    """
    x, y = _core.as_tensor(x), _core.as_tensor(y)
    rank_x, rank_y = x.ndim, y.ndim
    if rank_x < 2 or rank_y < 2:
        raise ValueError(
            "Cannot do batch_dot on inputs with rank < 2. Received inputs with shapes "
            f"{x.shape} and {y.shape}."
        )
    if axes is None:
        axes = [rank_x - 1, rank_y - 1 if rank_y == 2 else rank_y - 2]
    elif isinstance(axes, int):
        axes = [axes, axes]
    first, second = (a + r if a < 0 else a for a, r in zip(axes, (rank_x, rank_y), strict=True))
    if not first or not second:
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy "
            "batch dimension to your inputs using K.expand_dims(x, 0)"
        )
    sizes_x, sizes_y = list(x._sizes()), list(y._sizes())
    rest_x = [k for k in range(1, rank_x) if k != first]
    rest_y = [k for k in range(1, rank_y) if k != second]
    size = sizes_x[first]
    left = _ops.reshape(_ops.transpose(x, [0, *rest_x, first]), [sizes_x[0], -1, size])
    right = _ops.reshape(_ops.transpose(y, [0, second, *rest_y]), [sizes_y[0], size, -1])
    shape = [sizes_x[0], *(sizes_x[k] for k in rest_x), *(sizes_y[k] for k in rest_y)]
    result = _ops.reshape(_ops.matmul(left, right), shape)
    return _ops.expand_dims(result, -1) if result.ndim == 1 else result


@op_function
def l2_normalize(x: TensorLike, axis: Axes | None = None) -> Any:
    """x, divided by its norm along an axis."""
    return normalized(x, axis)


@op_function
def gather(reference: TensorLike, indices: object) -> Any:
    """The rows with these indices."""
    return indexing.gather(reference, indices)


@op_function
def arange(start: Any, stop: object = None, step: object = 1, dtype: DTypeLike = "int32") -> Any:
    """Values from a start to below a stop."""
    if stop is None and start < 0:
        start = 0
    return conversion.cast(
        creation.range(start, delta=step) if stop is None else creation.range(start, stop, step),
        dtype,
    )


@op_function
def one_hot(indices: TensorLike, num_classes: int) -> Any:
    """Rows of zeros with a one at each index."""
    return creation.one_hot(indices, num_classes, axis=-1)


@op_function
def reverse(x: TensorLike, axes: Any) -> Any:
    """x reversed along axes."""
    return _ops.reverse(x, [axes] if isinstance(axes, int) else list(axes))
