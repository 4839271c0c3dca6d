"""Matrices: products, norms, diagonals."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.autodiff.custom_gradient import custom_gradient
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import when_ranks_are_known
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import (
    Size,
    is_known,
    known_array,
    may_equal,
    rank_of,
    reshaped,
    sizes_of,
)
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops import norms
from eagerflow.ops.array import invalid_argument, slices_at
from eagerflow.ops.composed_op import COMPLEX_TYPES, INDEX_TYPES, REAL_TYPES, Input, composed_op
from eagerflow.ops.numpy_ops import on_values
from eagerflow.typing import Axes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


@op_function(promotion="operands")
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of matrices and vectors.

    Args:
        a: matrices `[..., m, n]`.
        b: vectors `[..., n]` of the same dtype.
        transpose_a: whether to transpose the matrices first.
        adjoint_a: whether to transpose and conjugate them first.

    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """
    columns = _ops.expand_dims(b, -1)
    product = _ops.matmul(a, columns, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return _ops.squeeze(product, [-1])


@op_function(promotion="weak")
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Swaps the last two axes.

    Raises:
        ValueError: if the rank is below 2.

    >>> tf.linalg.matrix_transpose([[1, 2, 3]]).shape
    TensorShape([3, 1])
    """
    a = _core.as_tensor(a)
    if a.ndim is None:
        rank = rank_of(a)
        outer = _ops.range(0, rank - 2, 1)
        return _ops.transpose(a, _ops.concat([outer, [rank - 1, rank - 2]], 0), conjugate)
    if a.ndim < 2:
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with "
            f"shape: {a.shape}"
        )
    order = [*range(a.ndim - 2), a.ndim - 1, a.ndim - 2]
    return _ops.transpose(a, order, conjugate)


@op_function
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Swaps the last two axes and conjugates.

    >>> tf.linalg.adjoint([[1 + 1j, 2]]).numpy()
    array([[1.-1.j],
           [2.-0.j]])
    """
    return matrix_transpose(matrix, conjugate=True)


@op_function(promotion="weak")
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the diagonal of the last two axes.

    >>> tf.linalg.trace([[1, 2], [3, 4]])
    <tf.Tensor: shape=(), dtype=int32, numpy=5>
    """
    return _ops.reduce_sum(_ops.diag_part(x), axis=-1)


@composed_op(
    "Diag",
    checked_first=True,
    diagonal=Input(
        COMPLEX_TYPES, INDEX_TYPES, "float16", "float32", "float64", no_kernel=("bfloat16",)
    ),
    in_graph=when_ranks_are_known(),
)
def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with the elements of another one on its diagonal.

    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    diagonal = _core.as_tensor(diagonal)
    shape = sizes_of(diagonal)
    if not shape:
        raise invalid_argument("Input must be at least rank 1, got 0 [Op:Diag]")
    flat = _ops.diag(_ops.reshape(diagonal, [-1]))
    return reshaped(flat, [*shape, *shape])


@op_function(promotion="weak", in_graph=when_ranks_are_known())
def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The diagonal of a tensor whose shape consists of one shape twice.

    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    value = _core.as_tensor(input)
    shape = value.shape.as_list()
    count = len(shape) // 2
    if len(shape) % 2 or not may_equal(shape[:count], shape[count:]):
        raise invalid_argument(f"Invalid shape {list(shape)}: not a shape twice [Op:DiagPart]")
    sizes = sizes_of(value)
    half = [sizes[k] if shape[k] is not None else sizes[count + k] for k in range(count)]
    size = math.prod(half)
    return reshaped(_ops.diag_part(reshaped(value, [size, size])), half)


@composed_op("Cross", a=Input(REAL_TYPES), b=Input(REAL_TYPES))
def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of vectors along the last axis, of size 3.

    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).numpy()
    array([0., 0., 1.], dtype=float32)
    """
    a = _core.as_tensor(a)
    b = _core.convert(b, a.dtype, None)
    shapes = a._shape_tuple(), b._shape_tuple()
    if not may_equal(*shapes) or any(
        s is not None and s[-1:] not in ((3,), (None,)) for s in shapes
    ):
        message = f"{a.shape} and {b.shape} must be equal with a last dimension of 3 [Op:Cross]"
        if shapes[0] == shapes[1] != () and _core.building() is None:
            raise errors.FailedPreconditionError._of(message)
        raise invalid_argument(message)
    next_axis, axis_after = [1, 2, 0], [2, 0, 1]
    left = slices_at(a, next_axis, -1) * slices_at(b, axis_after, -1)
    return left - slices_at(a, axis_after, -1) * slices_at(b, next_axis, -1)


@op_function(promotion="strong", in_graph=when_ranks_are_known())
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Sums products over pairs of axes.

    Args:
        a: a tensor.
        b: a tensor of the same dtype.
        axes: an integer n pairs the last n axes of `a` with the first n of `b`; or two lists of axes.

    Raises:
        ValueError: if the axes do not fit.
        tf.errors.InvalidArgumentError: if the sizes differ.

    >>> tf.tensordot([[1.0, 2.0]], [[3.0], [4.0]], axes=1).numpy()
    array([[11.]], dtype=float32)
    """
    if not (isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype is b.dtype):
        a_dtype, b_dtype = dtypes.result_dtype(a), dtypes.result_dtype(b)
        a = _core.convert(a, None, b_dtype)
        b = _core.convert(b, None, a_dtype or a.dtype)
    pairs = axes if isinstance(axes, int) else _listed(axes)
    shapes = sizes_of(a), sizes_of(b)
    # Unknown sizes are tensors of the graph, so the plan belongs to that graph.
    plan = _contraction if is_known(*shapes[0], *shapes[1]) else _contraction.__wrapped__
    left, right, result = plan(*shapes, pairs)
    product = _ops.matmul(_as_operand(a, *left), _as_operand(b, *right))
    return product if result is None else reshaped(product, result)


def _as_operand(x: Tensor, order: list[int] | None, shape: list[Size] | None) -> Tensor:
    x = x if order is None else _ops.transpose(x, order)
    return x if shape is None else reshaped(x, shape)


# How a tensor becomes a matrix: a transpose, then a reshape, of which None leaves it as it is.
_Operand = tuple[list[int] | None, list[Size] | None]


@functools.lru_cache(maxsize=256)
def _contraction(
    a: tuple[Size, ...], b: tuple[Size, ...], axes: int | tuple[tuple[int, ...], ...]
) -> tuple[_Operand, _Operand, list[Size] | None]:
    """How operands of two shapes become matrices, and the shape of the result if it is none."""
    a_axes, b_axes = _pairs_of_axes(len(a), len(b), axes)
    a_free = [k for k in range(len(a)) if k not in a_axes]
    b_free = [k for k in range(len(b)) if k not in b_axes]

    def operand(shape: tuple[Size, ...], left: list[int], right: list[int]) -> _Operand:
        order = [*left, *right]
        sizes = [math.prod(shape[k] for k in part) for part in (left, right)]
        is_matrix = len(left) == len(right) == 1
        return None if order == sorted(order) else order, None if is_matrix else sizes

    result = [*(a[k] for k in a_free), *(b[k] for k in b_free)]
    is_matrix = len(a_free) == len(b_free) == 1
    return operand(a, a_free, a_axes), operand(b, b_axes, b_free), None if is_matrix else result


def _listed(axes: Axes) -> int | tuple[tuple[int, ...], ...]:
    """Axes as an integer or as a tuple for each operand."""
    if isinstance(axes, list | tuple):
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2.  Received {axes}.")
        pair = axes
    else:
        both = known_array(axes, dtypes.int32, "axes")
        if both.ndim == 0:
            return int(both)
        pair = list(both)
    return _axes(pair[0]), _axes(pair[1])


def _axes(part: Any) -> tuple[int, ...]:
    if isinstance(part, list | tuple) and all(type(axis) is int for axis in part):
        return tuple(part)
    return tuple(known_array(part, dtypes.int32, "axes").reshape(-1).tolist())


def _pairs_of_axes(
    a_rank: int, b_rank: int, axes: int | tuple[tuple[int, ...], ...]
) -> tuple[list[int], list[int]]:
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0.  Received: {axes}.")
        for rank in (a_rank, b_rank):
            if axes > rank:
                raise ValueError(
                    "`axes` must not be larger than the number of dimensions of a tensor.  "
                    f"Received {axes}, vs tensor dimensions {rank}."
                )
        return list(range(a_rank - axes, a_rank)), list(range(axes))
    if len(axes[0]) != len(axes[1]):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(axes[0])} != {len(axes[1])}."
        )
    for part, rank in zip(axes, (a_rank, b_rank), strict=True):
        for k in part:
            if not -rank <= k < rank:
                raise invalid_argument(f"axis {k} is out of range for rank {rank}")
    return [k % a_rank for k in axes[0]], [k % b_rank for k in axes[1]]


@op_function
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """The norm of vectors or matrices.

    Args:
        tensor: floating or complex.
        ord: "euclidean", 1, 2, infinity, or for vectors any positive value; for matrices "fro"
            too.
        axis: None treats the entire tensor as a vector, an integer names the axis of vectors, a pair
            the axes of matrices.
        keepdims: whether to keep reduced axes with size 1.

    Raises:
        ValueError: if `ord` or `axis` is not supported.

    >>> tf.norm([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    x = _core.as_tensor(tensor)
    keep = bool(keepdims)
    matrices = isinstance(axis, list | tuple) and len(axis) == 2
    if matrices:
        rank = x.ndim
        axes = [k if rank is None or not -rank <= k < rank else k % rank for k in axis]
        if axes[0] == axes[1]:
            raise ValueError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
            )
        supported = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in supported:
            raise ValueError(f"'ord' must be a supported matrix norm in {supported}, got {ord}")
    else:
        if not (axis is None or isinstance(axis, int)):
            raise ValueError(
                f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}"
            )
        is_number = isinstance(ord, int | float | np.number) and not isinstance(ord, bool)
        if ord != "euclidean" and not (is_number and ord > 0):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
    if ord in ("fro", "euclidean") or (ord == 2 and not matrices):
        length = norms.euclidean_norm(x, axis, keep)
        return _ops.cast(length, x.dtype) if x.dtype.is_complex else length
    sizes = _ops.abs(x)
    if matrices:
        if ord == 2:
            return _spectral_norm(x, axes, keep)
        summed, kept = axes if ord == 1 else axes[::-1]
        sums = _ops.reduce_sum(sizes, axis=summed, keepdims=True)
        largest = _ops.reduce_max(sums, axis=kept, keepdims=True)
        return largest if keep else _ops.squeeze(largest, axes)
    if ord == np.inf:
        return _ops.reduce_max(sizes, axis=axis, keepdims=keep)
    if ord == 1:
        return _ops.reduce_sum(sizes, axis=axis, keepdims=keep)
    return norms.power_norm(sizes, float(ord), axis, keep)


def _spectral_norm(x: Tensor, axes: list[int], keep: bool) -> Tensor:
    """The largest singular value; its gradient is the product of the singular vectors."""
    if _core.building() is not None:
        shape = [1 if k in axes else n for k, n in enumerate(x.shape.as_list())]
        kept = shape if keep else [n for k, n in enumerate(shape) if k not in axes]
        return on_values(_spectral_norm, [x], [TensorSpec(kept, x.dtype)], axes, keep)[0]
    rest = [k for k in range(x.ndim) if k not in axes]
    moved = _ops.transpose(x, [*rest, *axes])

    @custom_gradient
    def largest(matrices: Tensor) -> Any:
        u, s, vh = np.linalg.svd(matrices.numpy(), full_matrices=False)
        # At 0 there are many directions: its gradient counts as 0.
        direction = u[..., :, 0, None] * vh[..., 0, None, :] * (s[..., 0, None, None] > 0)
        values = _core.as_tensor(s[..., 0])
        return values, lambda dy: direction * _ops.reshape(dy, [*dy._shape_tuple(), 1, 1])

    values = largest(moved)
    if not keep:
        return values
    return _ops.reshape(values, [1 if k in axes else n for k, n in enumerate(x._shape_tuple())])


@op_function
def normalize(
    tensor: TensorLike, ord: str = "euclidean", axis: Axes | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The tensor divided by its norm, and the norm.

    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> unit.numpy(), length.numpy()
    (array([0.6, 0.8], dtype=float32), array([5.], dtype=float32))
    """
    x = _core.as_tensor(tensor)
    if ord == "euclidean" and x.dtype.is_floating and isinstance(axis, int | None):
        norm_of_x, length, inverse = norms.scaled_norm(x, axis, keepdims=True)
        return _ops.divide_real(x * inverse, length), norm_of_x
    length = norm(x, ord, axis, keepdims=True)
    if length.dtype is not x.dtype:
        length = _ops.cast(length, x.dtype)
    return _ops.divide_real(x, length), length


@op_function
def l2_normalize(
    x: TensorLike,
    axis: Axes | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Axes | None = None,
) -> Tensor:
    """Divides by the euclidean norm over axes, or by sqrt(epsilon) if that is larger.

    Args:
        x: floating or complex.
        axis: an axis or a list of axes; all by default.
        epsilon: the lower bound of the squared norm.
        dim: an older name of `axis`.

    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    x = _core.as_tensor(x)
    return norms.unit(x, dim if axis is None else axis, epsilon**0.5)


@op_function
def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The square root of the sum of squares of all elements of several tensors.

    Args:
        t_list: tensors, `tf.IndexedSlices` or None, which is skipped.

    Raises:
        TypeError: if `t_list` is not a list.

    >>> tf.linalg.global_norm([[3.0], None, [4.0]])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    """
    return _joint_norm(_checked_list(t_list)).norm


def _joint_norm(items: list) -> norms.ScaledNorm:
    """The norm of all tensors and `tf.IndexedSlices` in a list."""
    tensors = [values_of(item) for item in items if item is not None]
    return norms.joint_norm(tensors or [_core.as_tensor(0.0)])


def values_of(item: TensorLike) -> Tensor:
    """The tensor, or the rows of an `IndexedSlices`."""
    return _core.as_tensor(item.values if isinstance(item, IndexedSlices) else item)


def _checked_list(t_list: Any) -> list:
    if not isinstance(t_list, list | tuple) or isinstance(t_list, Tensor):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


@op_function(elementwise=3)
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Clips elements to a range.

    Args:
        t: a tensor or `tf.IndexedSlices`.
        clip_value_min: the minimum; broadcasts to the shape of `t`.
        clip_value_max: the maximum; broadcasts to the shape of `t`.

    Raises:
        tf.errors.InvalidArgumentError: if the limits do not broadcast to the shape of `t`.

    >>> tf.clip_by_value([-2.0, 0.5, 3.0], 0.0, 1.0).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    if isinstance(t, IndexedSlices):
        clipped = _ops.clip_by_value(t.values, clip_value_min, clip_value_max)
        return IndexedSlices(clipped, t.indices, t.dense_shape)
    return _ops.clip_by_value(t, clip_value_min, clip_value_max)


@op_function
def clip_by_norm(t: Any, clip_norm: Any, axes: Axes | None = None, name: str | None = None) -> Any:
    """Scales a tensor down if its euclidean norm is larger than `clip_norm`.

    Args:
        t: a tensor or `tf.IndexedSlices`.
        clip_norm: the largest norm, a scalar; negative ones are as 0.
        axes: over which axes norms are taken; all by default.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    values = values_of(t)
    clip_norm = _ops.cast(_core.convert(clip_norm, None, values.dtype), values.dtype)
    limit = _ops.maximum(clip_norm, _ops.zeros_like(clip_norm))
    clipped = norms.clipped(values, norms.scaled_norm(values, axes, keepdims=True), limit)
    if not may_equal(clipped._shape_tuple(), values._shape_tuple()):
        raise ValueError(
            f"Shapes {values.shape} and {clipped.shape} are incompatible: `clip_norm` must be a "
            "scalar, or broadcast to the shape of what is clipped"
        )
    if isinstance(t, IndexedSlices):
        return IndexedSlices(clipped, t.indices, t.dense_shape)
    return clipped


@op_function
def clip_by_global_norm(
    t_list: Any, clip_norm: TensorLike, use_norm: Any = None, name: str | None = None
) -> tuple[list, Tensor]:
    """Scales tensors down together if their common norm is larger than `clip_norm`.

    Args:
        t_list: tensors, `tf.IndexedSlices` or None.
        clip_norm: the largest norm, a positive scalar.
        use_norm: the norm, if it is known; else `tf.linalg.global_norm` is used.

    Returns:
        The list of scaled tensors, and their original norm. An infinite norm gives NaN.

    Raises:
        TypeError: if `t_list` is not a list.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> [t.numpy() for t in clipped], norm.numpy()
    ([array([0.6], dtype=float32), array([0.8], dtype=float32)], np.float32(5.0))
    """
    items = _checked_list(t_list)
    inverse = None
    if use_norm is None:
        norm, length, inverse = _joint_norm(items)
        limit = inverse * clip_norm
    else:
        norm = length = _core.as_tensor(use_norm)
        limit = _ops.ones_like(length) * clip_norm
    scale_for_finite = clip_norm * _ops.minimum(
        _ops.divide_real(1.0, length), _ops.divide_real(_ops.ones_like(length), limit)
    )
    scale = _ops.add(scale_for_finite, length - length)
    clipped: list = []
    for item in items:
        if item is None:
            clipped.append(None)
            continue
        scaled = values_of(item)
        for factor in (scale,) if inverse is None else (inverse, scale):
            same = factor.dtype is scaled.dtype
            scaled = scaled * (factor if same else _ops.cast(factor, scaled.dtype))
        sparse = isinstance(item, IndexedSlices)
        clipped.append(IndexedSlices(scaled, item.indices, item.dense_shape) if sparse else scaled)
    return clipped, norm
