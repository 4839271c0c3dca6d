"""Functions of version 1 whose arguments had other names, or that have another name now."""

from __future__ import annotations

import functools
import sys
from typing import Any

from eagerflow import _core, random
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import array, conversion, indexing, math, norms, reduction, segment
from eagerflow.ops.conversion import cast
from eagerflow.ops.linalg import products as linalg
from eagerflow.ops.nn import space_batch
from eagerflow.ops.printing import print as print_tensors
from eagerflow.quantization import affine as quantized
from eagerflow.typing import Axis, DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy
from eagerflow_compat.v1.arguments import either, version_1

# Imported when it is first used: few programs build graphs.
naming = lazy.Module("eagerflow.graph.naming")

_ops = _core.ops
Tensor = _core.Tensor


_version_1 = functools.partial(version_1, __name__)


def _reduction(function: Any, doc: str) -> Any:
    """A reduction that also accepts the older names of its parameters."""
    return _version_1(
        f"{function.__name__}(input_tensor, axis=None, keepdims=None, name=None,"
        " reduction_indices=None, keep_dims=None)",
        function,
        doc,
        reduction_indices="axis",
        keep_dims="keepdims",
    )


reduce_sum = _reduction(_ops.reduce_sum, "The sum along axes.")
reduce_mean = _reduction(_ops.reduce_mean, "The mean along axes.")
reduce_prod = _reduction(_ops.reduce_prod, "The product along axes.")
reduce_max = _reduction(_ops.reduce_max, "The largest element along axes.")
reduce_min = _reduction(_ops.reduce_min, "The smallest element along axes.")
reduce_all = _reduction(_ops.reduce_all, "Whether all elements along axes are true.")
reduce_any = _reduction(_ops.reduce_any, "Whether an element along axes is true.")
reduce_logsumexp = _reduction(
    reduction.reduce_logsumexp, "The logarithm of the sum of exponentials along axes."
)
count_nonzero = _version_1(
    "count_nonzero(input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None,"
    " reduction_indices=None, keep_dims=None, input=None)",
    reduction.count_nonzero,
    """The number of elements along axes that are not zero.

    >>> tf.compat.v1.count_nonzero([[0, 1], [2, 3]], axis=1).numpy()
    array([1, 2])
    """,
    reduction_indices="axis",
    keep_dims="keepdims",
    input_tensor="input",
)
argmax = _version_1(
    "argmax(input, axis=None, name=None, dimension=None, output_type=dtypes.int64)",
    _ops.argmax,
    "The indices of the largest elements along an axis.",
    dimension="axis",
)
argmin = _version_1(
    "argmin(input, axis=None, name=None, dimension=None, output_type=dtypes.int64)",
    _ops.argmin,
    "The indices of the smallest elements along an axis.",
    dimension="axis",
)
arg_max = _version_1(
    "arg_max(input, dimension, output_type=dtypes.int64, name=None)",
    _ops.argmax,
    "The indices of the largest elements along an axis.",
    dimension="axis",
)
arg_min = _version_1(
    "arg_min(input, dimension, output_type=dtypes.int64, name=None)",
    _ops.argmin,
    "The indices of the smallest elements along an axis.",
    dimension="axis",
)
norm = _version_1(
    "norm(tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None)",
    linalg.norm,
    "The norm of vectors or matrices.",
    keep_dims="keepdims",
)
squeeze = _version_1(
    "squeeze(input, axis=None, name=None, squeeze_dims=None)",
    _ops.squeeze,
    "The tensor without axes of size 1.",
    squeeze_dims="axis",
)
transpose = _version_1(
    "transpose(a, perm=None, name='transpose', conjugate=False)",
    _ops.transpose,
    "The tensor with its axes in another order, reversed by default.",
)
shape = _version_1(
    "shape(input, name=None, out_type=dtypes.int32)", array.shape, "The shape as a vector."
)
size = _version_1(
    "size(input, name=None, out_type=dtypes.int32)", array.size, "The number of elements."
)
zeros_like = _version_1(
    "zeros_like(tensor, dtype=None, name=None, optimize=True)",
    _ops.zeros_like,
    "Zeros of a tensor's shape and dtype.",
    tensor="input",
)
ones_like = _version_1(
    "ones_like(tensor, dtype=None, name=None, optimize=True)",
    _ops.ones_like,
    "Ones of a tensor's shape and dtype.",
    tensor="input",
)
pad = _version_1(
    "pad(tensor, paddings, mode='CONSTANT', name=None, constant_values=0)",
    array.pad,
    "The tensor with elements added around it.",
)
gather = _version_1(
    "gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0)",
    indexing.gather,
    "Slices of a tensor along an axis, the first by default.",
)
gather_nd = _version_1(
    "gather_nd(params, indices, name=None, batch_dims=0, bad_indices_policy='')",
    indexing.gather_nd,
    "Slices of a tensor at index vectors.",
)
boolean_mask = _version_1(
    "boolean_mask(tensor, mask, name='boolean_mask', axis=None)",
    indexing.boolean_mask,
    "The slices where a mask is true.",
)
reverse_sequence = _version_1(
    "reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None,"
    " seq_dim=None, batch_dim=None)",
    indexing.reverse_sequence,
    "Reverses the first elements along an axis, as many as given for each batch element.",
    seq_dim="seq_axis",
    batch_dim="batch_axis",
)
floor_div = _version_1("floor_div(x, y, name=None)", _ops.floordiv, "The quotient rounded down.")
scalar_mul = _version_1(
    "scalar_mul(scalar, x, name=None)", math.scalar_mul, "A tensor times a scalar."
)
confusion_matrix = _version_1(
    "confusion_matrix(labels, predictions, num_classes=None, dtype=dtypes.int32, name=None,"
    " weights=None)",
    segment.confusion_matrix,
    "How often each class was predicted for each class.",
)
random_poisson = _version_1(
    "random_poisson(lam, shape, dtype=dtypes.float32, seed=None, name=None)",
    random.poisson,
    "Random numbers of events, at the rates `lam`; `shape` of them for each.",
)
quantize_v2 = _version_1(
    "quantize_v2(input, min_range, max_range, T, mode='MIN_COMBINED', name=None,"
    " round_mode='HALF_AWAY_FROM_ZERO', narrow_range=False, axis=None, ensure_minimum_range=0.01)",
    quantized.quantize,
    """`tf.quantization.quantize` with its arguments in the older order.

    >>> tf.compat.v1.quantize_v2([0.0, 2.0], 0.0, 2.0, tf.quint8).output.numpy()
    array([  0, 255], dtype=uint8)
    """,
)


@op_function
def expand_dims(
    input: TensorLike, axis: Axis | None = None, name: str | None = None, dim: Axis | None = None
) -> Tensor:
    """The tensor with one more axis, of size 1; `dim` is the axis' older name.

    Raises:
        ValueError: if there is no axis, or it is given under both names.

    >>> tf.compat.v1.expand_dims([1, 2], dim=0).shape
    TensorShape([1, 2])
    """
    axis = either("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return _ops.expand_dims(input, axis)


@op_function
def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Chooses between two tensors of one shape, elementwise or by rows.

    Args:
        condition: booleans of the tensors' shape, or a vector that chooses whole rows.
        x: taken where the condition is true; without it and `y`, the indices of true elements
            are given.
        y: taken elsewhere.
        name: the node's name in a graph.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy()
    array([[1, 2],
           [7, 8]], dtype=int32)
    """
    if x is None or y is None:
        return indexing.where(condition, x, y)
    condition = _core.convert(condition, dtypes.bool, None)
    x = _core.as_tensor(x)
    y = _core.convert(y, x.dtype, None)
    return indexing.select_rows(condition, x, y)


@op_function
def div(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient; for integers, rounded down as Python 2 did.

    >>> tf.compat.v1.div(7, 2).numpy(), tf.compat.v1.div(7.0, 2.0).numpy()
    (np.int32(3), np.float32(3.5))
    """
    x = _core.as_tensor(x)
    y = _core.convert(y, x.dtype.base_dtype, None)
    return x / y if x.dtype.is_floating or x.dtype.is_complex else _ops.floordiv(x, y)


def _cast_function(name: str, dtype: dtypes.DType) -> Any:
    @op_function
    def convert(x: TensorLike, name: str = name) -> Tensor:
        return cast(x, dtype)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"The tensor with elements of type {dtype.name}."
    return convert


to_float = _cast_function("to_float", dtypes.float32)
to_double = _cast_function("to_double", dtypes.float64)
to_int32 = _cast_function("to_int32", dtypes.int32)
to_int64 = _cast_function("to_int64", dtypes.int64)
to_bfloat16 = _cast_function("to_bfloat16", dtypes.bfloat16)
to_complex64 = _cast_function("to_complex64", dtypes.complex64)
to_complex128 = _cast_function("to_complex128", dtypes.complex128)


@op_function
def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    preferred_dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
) -> Tensor:
    """The value as a tensor; `preferred_dtype` is the older name of `dtype_hint`."""
    hint = either("dtype_hint", dtype_hint, "preferred_dtype", preferred_dtype)
    return conversion.convert_to_tensor(value, dtype, hint)


@op_function
def constant(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    shape: ShapeLike | None = None,
    name: str = "Const",
    verify_shape: bool = False,
) -> Tensor:
    """A tensor with the given value.

    Fewer values than the shape has elements are filled up with the last one.

    Args:
        value: a number, a string, a nested list or an array.
        dtype: the element type.
        shape: the shape.
        name: the node's name in a graph.
        verify_shape: whether the value must have just that shape.

    Raises:
        TypeError: if the value does not fit.

    >>> tf.compat.v1.constant([1, 2], shape=[4]).numpy()
    array([1, 2, 2, 2], dtype=int32)
    """
    if shape is None:
        return _core.strengthened(conversion.constant(value, dtype))
    tensor = _core.strengthened(conversion.constant(value, dtype))
    if verify_shape and tensor.shape != TensorShape(shape):
        raise TypeError(f"Expected Tensor's shape: {TensorShape(shape)}, got {tensor.shape}.")
    return conversion.padded(tensor, shape)


@op_function
def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
) -> Tensor:
    """Draws from categories; the older name of `tf.random.categorical`."""
    return random.categorical(logits, num_samples, output_dtype or dtypes.int64, seed)


@op_function
def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Draws from categories by a seed; the older name of `tf.random.stateless_categorical`."""
    return random.stateless_categorical(logits, num_samples, seed, output_dtype)


@op_function
def Print(
    input_: TensorLike,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Prints tensors to the standard error when the node runs, and returns `input_`."""
    graph = _core.building()
    start = 0 if graph is None else len(graph)
    values = [_core.as_tensor(value) for value in data]
    print_tensors(
        message or "", *values, output_stream=sys.stderr, summarize=summarize or 3, sep=""
    )
    return _ops.identity(input_) if graph is None else naming.with_effects(start, input_)


@op_function
def clip_by_average_norm(t: TensorLike, clip_norm: TensorLike, name: str | None = None) -> Tensor:
    """The tensor, scaled so that its norm divided by its size is at most `clip_norm`.

    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.25).numpy()
    array([1.5, 2. ], dtype=float32)
    """
    t = _core.as_tensor(t)
    count = _ops.cast(_core.as_tensor(t._size), t.dtype)
    limit = _core.convert(clip_norm, t.dtype, None) * count
    return norms.clipped(t, norms.scaled_norm(t), limit)


def _blocks(block_size: TensorLike | None, block_shape: TensorLike | None) -> Tensor:
    """The sizes of blocks: one number is that of two axes."""
    blocks = _core.as_tensor(either("block_size", block_size, "block_shape", block_shape))
    return _ops.broadcast_to(blocks, [2]) if blocks.ndim == 0 else blocks


@op_function
def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: TensorLike | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """Undoes `space_to_batch`; `block_size` is a number, or the sizes that are now `block_shape`.

    >>> tf.compat.v1.batch_to_space(tf.zeros([4, 1, 1, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([1, 2, 2, 1])
    """
    return space_batch.batch_to_space(input, _blocks(block_size, block_shape), crops)


@op_function
def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: TensorLike | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> Tensor:
    """Moves blocks of positions to the batch; `block_size` as in `batch_to_space`.

    >>> tf.compat.v1.space_to_batch(tf.zeros([1, 2, 2, 1]), [[0, 0], [0, 0]], 2).shape
    TensorShape([4, 1, 1, 1])
    """
    return space_batch.space_to_batch(input, _blocks(block_size, block_shape), paddings)
