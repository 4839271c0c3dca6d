"""Random tensors: TensorFlow's own numbers for the same seeds."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core, random_seed
from eagerflow import dtype as dtypes

_ops = _core.ops
Tensor = _core.Tensor

set_seed = random_seed.set_seed

_INTEGERS = (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)


def _shape(shape: Any) -> tuple[int, ...]:
    """The sizes in `shape` (a list, a TensorShape, or an integer vector or scalar)."""
    if isinstance(shape, (list, tuple)):
        return tuple(int(size) for size in shape)
    if hasattr(shape, "as_list"):
        return tuple(shape.as_list())
    values = _core.convert(shape, None, dtypes.int32).numpy()
    return tuple(int(size) for size in values.reshape(-1))


def _draw(name: str, sizes: tuple[int, ...], dtype: Any, seed: int | None) -> tuple[int, int, int]:
    blocks = random_seed.reserved(math.prod(sizes))
    return random_seed.draw((name, dtype), seed, blocks)


def _scaled(sample: Tensor, mean: Any, stddev: Any) -> Tensor:
    dtype = sample.dtype
    return sample * _core.convert(stddev, None, dtype) + _core.convert(mean, None, dtype)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers.

    Args:
        shape: the sizes of the result.
        mean: the mean, broadcast against the result.
        stddev: the standard deviation, broadcast against the result.
        dtype: a floating dtype.
        seed: makes the numbers reproducible, together with `tf.random.set_seed`.
        name: ignored.

    Raises:
        tf.errors.InvalidArgumentError: for negative sizes or another dtype.

    >>> tf.random.set_seed(5)
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    dtype = dtypes.as_dtype(dtype)
    sizes = _shape(shape)
    at = _draw("RandomStandardNormal", sizes, dtype, seed)
    return _scaled(_ops.philox_normal(sizes, dtype, *at), mean, stddev)


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed numbers within two standard deviations of the mean.

    Args:
        shape: the sizes of the result.
        mean: the mean of the distribution before it is cut.
        stddev: its standard deviation before it is cut.
        dtype: a floating dtype.
        seed: makes the numbers reproducible, together with `tf.random.set_seed`.
        name: ignored.

    >>> x = tf.random.truncated_normal([1000], seed=1)
    >>> bool(tf.reduce_max(tf.abs(x)) < 2)
    True
    """
    dtype = dtypes.as_dtype(dtype)
    sizes = _shape(shape)
    at = _draw("TruncatedNormal", sizes, dtype, seed)
    return _scaled(_ops.philox_truncated_normal(sizes, dtype, *at), mean, stddev)


def _integer_bounds(minval: Any, maxval: Any, dtype: Any) -> tuple[int, int]:
    low = int(_core.convert(minval, dtype, None))
    high = int(_core.convert(maxval, dtype, None))
    return low, high


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Uniformly distributed numbers in `[minval, maxval)`.

    Args:
        shape: the sizes of the result.
        minval: the lower bound, included.
        maxval: the upper bound, excluded; 1 for floating dtypes, must be given for integers.
        dtype: a floating dtype, int32 or int64.
        seed: makes the numbers reproducible, together with `tf.random.set_seed`.
        name: ignored.

    Raises:
        ValueError: for another dtype, or integers without `maxval`.
        tf.errors.InvalidArgumentError: for integers if `minval >= maxval`.

    >>> x = tf.random.uniform([100], 1, 7, tf.int32, seed=3)
    >>> bool(tf.reduce_all((x >= 1) & (x < 7)))
    True
    """
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating and dtype not in _INTEGERS[:2]:
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are float16, bfloat16, "
            "float32, float64, int32 and int64."
        )
    sizes = _shape(shape)
    if dtype.is_integer:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        low, high = _integer_bounds(minval, maxval, dtype)
        at = _draw("RandomUniformInt", sizes, dtype, seed)
        return _ops.philox_uniform_int(sizes, dtype, *at, low, high)
    at = _draw("RandomUniform", sizes, dtype, seed)
    return _between(_ops.philox_uniform(sizes, dtype, *at), minval, maxval)


def _between(sample: Tensor, minval: Any, maxval: Any) -> Tensor:
    """Stretches numbers in [0, 1) to [minval, maxval)."""
    low = _core.convert(minval, None, sample.dtype)
    high = _core.convert(1 if maxval is None else maxval, None, sample.dtype)
    return sample * (high - low) + low


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The same rows in random order.

    Args:
        value: a tensor `[n, ...]`.
        seed: makes the order reproducible, together with `tf.random.set_seed`.
        name: ignored.

    >>> sorted(tf.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    value = _core.convert(value, None, None)
    if value.ndim == 0 or value._shape_tuple()[0] < 2:
        return _ops.identity(value)
    count = value._shape_tuple()[0]
    at = random_seed.draw(("RandomShuffle", value.dtype), seed, (count + 3) // 4)
    return _ops.gather(value, _ops.philox_shuffle(count, *at))


def _stateless(seed: Any) -> tuple[int, int, int]:
    """The stream that a stateless seed names.

    The seed's two numbers are mixed by one Philox block under a fixed key, so that every bit of
    them counts.
    """
    pair = _core.convert(seed, None, dtypes.int64)
    if pair._shape_tuple() != (2,):
        from eagerflow.errors import InvalidArgumentError

        raise InvalidArgumentError(None, None, f"seed must have shape [2], not {pair.shape}")
    first, second = (int(word) for word in pair.numpy())
    mixed = _ops.philox_uniform_full_int(
        [4], dtypes.uint32, _signed64(0x02461E293EC8F720), first, second
    ).numpy()
    words = [int(word) for word in mixed]
    return (
        _signed64(words[0] | words[1] << 32),
        0,
        _signed64(words[2] | words[3] << 32),
    )


def _signed64(word: int) -> int:
    return word - 2**64 if word >= 2**63 else word


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Uniform numbers that depend on nothing but the arguments.

    Args:
        shape: the sizes of the result.
        seed: two integers.
        minval: the lower bound, included; None with `maxval` None: all integers of the dtype.
        maxval: the upper bound, excluded; 1 for floating dtypes.
        dtype: a floating dtype or a 32 or 64 bit integer.
        name: ignored.
        alg: the generator; Philox in any case.

    Raises:
        ValueError: for integers if only one bound is given.

    >>> tf.random.stateless_uniform([2], seed=[1, 2], minval=0, maxval=10, dtype=tf.int32).shape
    TensorShape([2])
    """
    dtype = dtypes.as_dtype(dtype)
    sizes = _shape(shape)
    if dtype.is_integer:
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be "
                f"both None or not None. Got `minval`={minval} and `maxval`={maxval}."
            )
        if minval is None:
            return _ops.philox_uniform_full_int(sizes, dtype, *_stateless(seed))
        low, high = _integer_bounds(minval, maxval, dtype)
        return _ops.philox_uniform_int(sizes, dtype, *_stateless(seed), low, high)
    return _between(_ops.philox_uniform(sizes, dtype, *_stateless(seed)), minval, maxval)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Normal numbers that depend on nothing but the arguments.

    Args:
        shape: the sizes of the result.
        seed: two integers.
        mean: the mean.
        stddev: the standard deviation.
        dtype: a floating dtype.
        name: ignored.
        alg: the generator; Philox in any case.

    >>> tf.random.stateless_normal([2, 2], seed=[1, 2]).shape
    TensorShape([2, 2])
    """
    dtype = dtypes.as_dtype(dtype)
    sample = _ops.philox_normal(_shape(shape), dtype, *_stateless(seed))
    return _scaled(sample, mean, stddev)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: str = "auto_select",
) -> Tensor:
    """Normal numbers within two standard deviations, from nothing but the arguments.

    Args:
        shape: the sizes of the result.
        seed: two integers.
        mean: the mean before the distribution is cut.
        stddev: the standard deviation before it is cut.
        dtype: a floating dtype.
        name: ignored.
        alg: the generator; Philox in any case.

    >>> tf.random.stateless_truncated_normal([3], seed=[1, 2]).shape
    TensorShape([3])
    """
    dtype = dtypes.as_dtype(dtype)
    sample = _ops.philox_truncated_normal(_shape(shape), dtype, *_stateless(seed))
    return _scaled(sample, mean, stddev)
