"""Random tensors determined by their arguments alone."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.dtypes import DType
from eagerflow.framework.op_function import op_function
from eagerflow.ops.composed_op import INDEX_TYPES, REAL_TYPES, Input, composed_op
from eagerflow.ops.random.algorithm import checked_algorithm
from eagerflow.ops.random.stateful import (
    between,
    class_dtype,
    integer_bounds,
    moments,
    rows_of,
    sample_count,
    scaled,
    shuffled,
    sizes_of,
)
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

# The key under which seeds are mixed.
_MIXING_KEY = random_seed.signed(0x02461E293EC8F720)

_DTYPES = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint32,
    dtypes.uint64,
)


def start_of(seed: TensorLike, alg: int | str | Tensor) -> tuple[Any, Any, Any]:
    """The key and counter of a seed.

    The seed's two integers are mixed by one Philox block under a fixed key, so that every bit of
    them counts.
    """
    checked_algorithm(alg)
    pair = _core.convert(seed, None, dtypes.int64)
    if pair.dtype not in (dtypes.int32, dtypes.int64):
        _core.refuse_attr("Tseed", pair.dtype, INDEX_TYPES, "StatelessRandomGetKeyCounter")
    if not pair.shape.is_compatible_with([2]):
        shape = str(list(pair._shape_tuple())).replace(" ", "")
        raise InvalidArgumentError._of(
            f"seed must have shape [2], not {shape} [Op:StatelessRandomGetKeyCounter]"
        )
    words = _core.static_value(pair)
    low_high = [pair[0], pair[1]] if words is None else words.numpy().tolist()
    mixed = _ops.philox_uniform_full_int([2], dtypes.uint64, _MIXING_KEY, *low_high)
    words = _core.static_value(mixed)
    if words is None:
        return mixed[0], 0, mixed[1]
    key, high = words.numpy().tolist()
    return random_seed.signed(key), 0, random_seed.signed(high)


@op_function
def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: Any = 0,
    maxval: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: int | str | Tensor = "auto_select",
) -> Tensor:
    """Uniform values determined by the arguments alone.

    Args:
        shape: the sizes of the result.
        seed: two integers.
        minval: the lower bound, included; None with `maxval` None: all integers of the dtype.
        maxval: the upper bound, excluded; 1 for floating dtypes.
        dtype: a floating dtype, or an integer of 32 or 64 bits; unsigned ones without bounds only.
        alg: the generator, see `tf.random.Algorithm`.

    Raises:
        ValueError: for another dtype or generator, or integers if only one bound is given.
        tf.errors.InvalidArgumentError: for negative sizes, a seed of another shape, and integers
            if `minval >= maxval`.

    >>> tf.random.stateless_uniform([2], seed=[1, 2], minval=0, maxval=10, dtype=tf.int32).shape
    TensorShape([2])
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _DTYPES:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {_DTYPES}."
        )
    if not dtype.is_integer:
        sizes, _ = sizes_of(shape, "StatelessRandomUniformV2")
        return between(_ops.philox_uniform(sizes, dtype, *start_of(seed, alg)), minval, maxval)
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    if minval is None:
        sizes, _ = sizes_of(shape, "StatelessRandomUniformFullIntV2")
        return _ops.philox_uniform_full_int(sizes, dtype, *start_of(seed, alg))
    if dtype in (dtypes.uint32, dtypes.uint64):
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. "
            "Unsigned integers have no bounds."
        )
    op = "StatelessRandomUniformIntV2"
    bounds = integer_bounds(minval, maxval, dtype, op)
    return _ops.philox_uniform_int(sizes_of(shape, op)[0], dtype, *start_of(seed, alg), *bounds)


@op_function
def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: int | str | Tensor = "auto_select",
) -> Tensor:
    """Normal values determined by the arguments alone.

    Args:
        shape: the sizes of the result.
        seed: two integers.
        mean: the mean.
        stddev: the standard deviation.
        dtype: a floating dtype.
        alg: the generator, see `tf.random.Algorithm`.

    Raises:
        TypeError: for another dtype.
        tf.errors.InvalidArgumentError: for negative sizes or a seed of another shape.

    >>> tf.random.stateless_normal([2, 2], seed=[1, 2]).shape
    TensorShape([2, 2])
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    sizes, _ = sizes_of(shape, "StatelessRandomNormalV2")
    return scaled(_ops.philox_normal(sizes, dtype, *start_of(seed, alg)), mean, stddev)


@op_function
def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: int | str | Tensor = "auto_select",
) -> Tensor:
    """Normal values within two standard deviations, determined by the arguments alone.

    Args:
        shape: the sizes of the result.
        seed: two integers.
        mean: the mean before truncation.
        stddev: the standard deviation before truncation.
        dtype: a floating dtype.
        alg: the generator, see `tf.random.Algorithm`.

    Raises:
        TypeError: for another dtype.
        tf.errors.InvalidArgumentError: for negative sizes or a seed of another shape.

    >>> tf.random.stateless_truncated_normal([3], seed=[1, 2]).shape
    TensorShape([3])
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    sizes, _ = sizes_of(shape, "StatelessTruncatedNormalV2")
    return scaled(_ops.philox_truncated_normal(sizes, dtype, *start_of(seed, alg)), mean, stddev)


@composed_op(
    "StatelessMultinomial",
    logits=Input(REAL_TYPES),
    num_samples=Input("int32"),
    seed=Input(INDEX_TYPES, type="Tseed", prefer="int64"),
    dtype=DType,
)
def stateless_categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    dtype: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Classes drawn by their probabilities, determined by the arguments alone.

    Args:
        logits: `[batch, classes]`, logarithms of probabilities up to a constant.
        num_samples: how many classes to draw for each row.
        seed: two integers.
        dtype: int32 or int64.

    Returns:
        Classes `[batch, num_samples]`.

    Raises:
        ValueError: for another dtype.
        tf.errors.InvalidArgumentError: if `logits` is not a matrix with at least one column, or
            `num_samples` is negative.

    >>> tf.random.stateless_categorical([[0.0, float("-inf")]], 3, seed=[1, 2]).numpy()
    array([[0, 0, 0]])
    """
    dtype = class_dtype(dtype)
    logits = _core.convert(logits, None, dtypes.float32)
    start = start_of(seed, "auto_select")
    return _ops.philox_categorical(logits, sample_count(num_samples), dtype, *start)


def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """The same rows in an order determined by the arguments alone.

    Args:
        value: a tensor `[n, ...]`.
        seed: two integers.
        alg: the generator, see `tf.random.Algorithm`.

    Raises:
        tf.errors.InvalidArgumentError: for a seed of another shape.

    >>> tf.random.experimental.stateless_shuffle([10, 20, 30, 40], seed=[1, 2]).shape
    TensorShape([4])
    """
    value = _core.as_tensor(value)
    start = start_of(seed, alg)
    return shuffled(value, rows_of(value), start)


@op_function
def split(seed: Any, num: int = 2, alg: int | str | Tensor = "auto_select") -> Tensor:
    """Several seeds from one.

    Args:
        seed: two integers, whose dtype the new seeds have (int32 for Python integers).
        num: how many seeds to make.
        alg: the generator, see `tf.random.Algorithm`.

    Returns:
        Seeds `[num, 2]`.

    >>> tf.random.split([1, 2], num=3).shape
    TensorShape([3, 2])
    """
    seed = _core.as_tensor(seed)
    _check_seed_dtype(seed.dtype)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


def _check_seed_dtype(dtype: DType) -> None:
    # Draws all values of the dtype, which floating dtypes cannot request.
    if dtype not in (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64):
        raise ValueError(f"Seeds are integers of 32 or 64 bits, not {dtype.name}.")


@op_function
def fold_in(seed: TensorLike, data: TensorLike, alg: int | str | Tensor = "auto_select") -> Tensor:
    """A new seed from a seed and an integer, for instance the index of a training step.

    Args:
        seed: two integers.
        data: an integer, whose dtype the new seed has (int32 for a Python integer).
        alg: the generator, see `tf.random.Algorithm`.

    >>> tf.random.fold_in([1, 2], 7).shape
    TensorShape([2])
    """
    data = _core.as_tensor(data)
    _check_seed_dtype(data.dtype)
    return _ops.stack([stateless_uniform([], seed, None, None, data.dtype, alg=alg), data], 0)
