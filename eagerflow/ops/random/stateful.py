"""Random tensors: TensorFlow's own values for the same seeds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.dtypes import DType
from eagerflow.framework.mapped_slices import drawing_at_once
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known
from eagerflow.ops.array import slices_at
from eagerflow.ops.composed_op import INDEX_TYPES, REAL_TYPES, Input, composed_op
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

set_seed = random_seed.set_seed

_UNIFORM_DTYPES = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
)
_ONLY_INTEGERS = {int}


def sizes_of(shape: Any, op: str) -> tuple[Any, Any]:
    """The sizes in `shape` (a list, a TensorShape, or a vector of integers) and its dtype.

    Sizes that a graph computes when it runs are a vector.

    Raises:
        tf.errors.InvalidArgumentError: if it is not a vector of integers; `op` is named then.
    """
    if hasattr(shape, "as_list"):
        return tuple(shape.as_list()), dtypes.int32
    if isinstance(shape, (list, tuple)) and _ONLY_INTEGERS.issuperset(map(type, shape)):
        if shape and (min(shape) < -(2**63) or max(shape) >= 2**63):
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        return tuple(shape), dtypes.int32
    vector = _core.as_tensor(shape)
    if vector.dtype not in (dtypes.int32, dtypes.int64):
        _core.refuse_attr("T", vector.dtype, INDEX_TYPES, op)
    if vector.shape.rank not in (1, None):
        raise InvalidArgumentError._of(
            "shape must be a vector of {int32,int64}, got shape "
            f"{str(list(vector._shape_tuple())).replace(' ', '')} [Op:{op}]"
        )
    value = _core.static_value(vector)
    return (vector if value is None else tuple(value.numpy().tolist())), vector.dtype


def known_sizes(sizes: Any) -> list[int | None] | None:
    """The known sizes while a graph is built."""
    return list(sizes) if isinstance(sizes, tuple) else _core.partial_value(sizes)


def elements_in(sizes: TensorLike) -> int | Tensor:
    """The number of elements of a tensor of these sizes: an integer, or a scalar of a graph."""
    if isinstance(sizes, tuple):
        return math.prod(sizes)
    return _ops.reduce_prod(_ops.cast(sizes, dtypes.int64))


def check_sizes(sizes: TensorLike, op: str) -> None:
    """Checks the shape of values that are drawn in Python.

    Raises:
        tf.errors.InvalidArgumentError: if a size is negative, or there are too many values.
    """
    if not isinstance(sizes, tuple):
        return  # the node checks them
    negative = next((size for size in sizes if size < 0), None)
    if negative is not None:
        raise InvalidArgumentError._of(
            f"Dimension {negative} must be >= 0, got shape {list(sizes)} [Op:{op}]"
        )
    if 0 not in sizes and math.prod(sizes) >= 2**63:
        raise InvalidArgumentError._of(
            f"Shape {list(sizes)} would have more than 2**63 - 1 elements [Op:{op}]"
        )


def _draw(op: str, shape: Any, dtype: DType, seed: int | None) -> tuple[Any, Any, Any, Any, Any]:
    """The leading arguments of the native operation: sizes, dtype, key and counter."""
    sizes, size_dtype = sizes_of(shape, op)
    blocks = random_seed.RESERVED_PER_OUTPUT * elements_in(sizes)
    return sizes, dtype, *random_seed.draw((op, dtype, size_dtype), seed, blocks)


def _sample(
    native: Callable[..., Tensor], op: str, shape: Any, dtype: DType, seed: int | None, *bounds: Any
) -> Tensor:
    """Values of a native operation. In a function of slices, one call draws those of all slices."""
    maps = drawing_at_once(_core.building())
    if not maps:
        return native(*_draw(op, shape, dtype, seed), *bounds)
    sizes, size_dtype = sizes_of(shape, op)
    counts = [slices.count for slices in maps]
    every: Any = (*counts, *sizes) if isinstance(sizes, tuple) else None
    if every is None or not is_known(*every):
        every = _ops.concat([_core.convert(list(counts), size_dtype, None), sizes], 0)
    blocks = random_seed.RESERVED_PER_OUTPUT * elements_in(every)
    start = random_seed.draw((op, dtype, size_dtype), seed, blocks, for_all_slices=True)
    values = native(every, dtype, *start, *bounds)
    for slices in maps:
        values = _ops.gather(values, slices.index())
    return values


def scaled(sample: Tensor, mean: TensorLike, stddev: TensorLike) -> Tensor:
    """Standard normal values, scaled and shifted."""
    if type(mean) is float and type(stddev) is float and mean == 0.0 and stddev == 1.0:
        return sample
    return sample * stddev + mean


def moments(mean: Any, stddev: Any, dtype: DType) -> tuple[float, float] | tuple[Tensor, Tensor]:
    """Mean and standard deviation as tensors of the dtype; Python's 0 and 1 stay as they are."""
    if type(mean) is float and type(stddev) is float and dtype.is_floating:
        return mean, stddev
    return _core.convert(mean, dtype, None), _core.convert(stddev, dtype, None)


def between(sample: Tensor, minval: TensorLike, maxval: Any) -> Tensor:
    """Scales values in [0, 1) to [minval, maxval)."""
    dtype = sample.dtype
    if type(minval) is int and minval == 0 and maxval is None:
        return sample
    low = _core.convert(minval, dtype, None)
    high = _core.convert(1 if maxval is None else maxval, dtype, None)
    return sample * (high - low) + low


def integer_bounds(minval: Any, maxval: Any, dtype: DTypeLike, op: str) -> tuple[Any, Any]:
    """The bounds of uniform integers, which must be scalars: integers, or scalars of a graph."""
    bounds = []
    for name, value in (("minval", minval), ("maxval", maxval)):
        bound = _core.convert(value, dtype, None)
        if bound.shape.rank not in (0, None):
            raise InvalidArgumentError._of(
                f"{name} must be 0-D, got shape "
                f"{str(list(bound._shape_tuple())).replace(' ', '')} [Op:{op}]"
            )
        known = _core.static_value(bound)
        bounds.append(bound if known is None else int(known))
    return bounds[0], bounds[1]


@op_function
def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed values.

    Args:
        shape: the sizes of the result.
        mean: the mean, broadcast against the result.
        stddev: the standard deviation, broadcast against the result.
        dtype: a floating dtype.
        seed: makes the values reproducible, together with `tf.random.set_seed`.

    Raises:
        TypeError: for another dtype.
        tf.errors.InvalidArgumentError: for negative sizes.

    >>> tf.random.set_seed(5)
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    sample = _sample(_ops.philox_normal, "RandomStandardNormal", shape, dtype, seed)
    return scaled(sample, mean, stddev)


@op_function
def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed values within two standard deviations of the mean.

    Args:
        shape: the sizes of the result.
        mean: the mean of the distribution before truncation.
        stddev: its standard deviation before truncation.
        dtype: a floating dtype.
        seed: makes the values reproducible, together with `tf.random.set_seed`.

    Raises:
        TypeError: for another dtype.
        tf.errors.InvalidArgumentError: for negative sizes.

    >>> x = tf.random.truncated_normal([1000], seed=1)
    >>> bool(tf.reduce_max(tf.abs(x)) < 2)
    True
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    sample = _sample(_ops.philox_truncated_normal, "TruncatedNormal", shape, dtype, seed)
    return scaled(sample, mean, stddev)


@op_function
def uniform(
    shape: Any,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Uniformly distributed values in `[minval, maxval)`.

    Args:
        shape: the sizes of the result.
        minval: the lower bound, included.
        maxval: the upper bound, excluded; 1 for floating dtypes, required for integers.
        dtype: a floating dtype, int32 or int64.
        seed: makes the values reproducible, together with `tf.random.set_seed`.

    Raises:
        ValueError: for another dtype, or integers without `maxval`.
        tf.errors.InvalidArgumentError: for negative sizes, and for integers if
            `minval >= maxval`.

    >>> x = tf.random.uniform([100], 1, 7, tf.int32, seed=3)
    >>> bool(tf.reduce_all((x >= 1) & (x < 7)))
    True
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _UNIFORM_DTYPES:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {_UNIFORM_DTYPES}."
        )
    if dtype.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        bounds = integer_bounds(minval, maxval, dtype, "RandomUniformInt")
        return _sample(_ops.philox_uniform_int, "RandomUniformInt", shape, dtype, seed, *bounds)
    sample = _sample(_ops.philox_uniform, "RandomUniform", shape, dtype, seed)
    return between(sample, minval, maxval)


@composed_op("RandomShuffle", value=Input(), seed=int)
def shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """The same rows in random order.

    Args:
        value: a tensor `[n, ...]`.
        seed: makes the order reproducible, together with `tf.random.set_seed`.

    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    value = _core.as_tensor(value)
    count = rows_of(value)
    start = random_seed.draw(("RandomShuffle", value.dtype), seed, (count + 2) // 4)
    return shuffled(value, count, start)


def rows_of(value: Tensor) -> int:
    """The size of the first axis: an integer, 0 without axes, or a scalar of a graph."""
    sizes = value._shape_tuple()
    if sizes == ():
        return 0
    rows = None if sizes is None else sizes[0]
    return _ops.shape(value, dtypes.int64)[0] if rows is None else rows


def shuffled(value: Tensor, count: Any, start: tuple[Any, Any, Any]) -> Tensor:
    """The `count` rows of a tensor in an order drawn from a position of a stream."""
    if isinstance(count, int) and count < 2:
        return _ops.identity(value)
    return slices_at(value, _ops.philox_shuffle(count, *start))


def class_dtype(dtype: DTypeLike | None) -> DType:
    """The dtype of drawn classes: int64 unless int32 is asked for."""
    if dtype is None:
        return dtypes.int64
    dtype = dtypes.as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are "
            f"{(dtypes.int32, dtypes.int64)}."
        )
    return dtype


def sample_count(num_samples: TensorLike) -> Tensor | int:
    """The number of samples in each row: an integer, or a scalar of a graph."""
    count = _core.convert(num_samples, dtypes.int32, None)
    if count.shape.rank not in (0, None):
        raise InvalidArgumentError._of(
            f"num_samples should be a scalar, got shape {count.shape} [Op:Multinomial]"
        )
    known = _core.static_value(count)
    return _ops.cast(count, dtypes.int64) if known is None else int(known)


@composed_op("Multinomial", logits=Input(REAL_TYPES), num_samples=Input("int32"), dtype=DType)
def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Classes drawn by their probabilities.

    Args:
        logits: `[batch, classes]`, logarithms of probabilities up to a constant; a logit that is
            not finite represents a probability of zero.
        num_samples: how many classes to draw for each row.
        dtype: int32 or int64 (the default).
        seed: makes the classes reproducible, together with `tf.random.set_seed`.

    Returns:
        Classes `[batch, num_samples]`.

    Raises:
        ValueError: for another dtype.
        tf.errors.InvalidArgumentError: if `logits` is not a matrix with at least one column, or
            `num_samples` is negative.

    >>> tf.random.categorical([[0.0, float("-inf")]], 3).numpy()
    array([[0, 0, 0]])
    """
    dtype = class_dtype(dtype)
    logits = _core.convert(logits, None, dtypes.float32)
    samples = sample_count(num_samples)
    # Each sample uses two words; rows are padded to full blocks.
    padded = 4 * (((max(samples, 0) if isinstance(samples, int) else samples) + 3) // 4)
    blocks = rows_of(logits) * padded * (2 * random_seed.RESERVED_PER_OUTPUT)
    start = random_seed.draw(("Multinomial", logits.dtype, dtype), seed, blocks)
    return _ops.philox_categorical(logits, samples, dtype, *start)
