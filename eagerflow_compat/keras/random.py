"""keras.random: Keras 3's random functions, with seeds and seed generators."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.variable import Variable
from eagerflow.keras import config, random_generator
from eagerflow.ops.numpy_functions.rules import sizes
from eagerflow.ops.random import distributions, stateless
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow_compat.keras.ops.promotion import floating, tensor

_ops = _core.ops

__all__ = [
    "SeedGenerator",
    "beta",
    "binomial",
    "categorical",
    "dropout",
    "gamma",
    "normal",
    "randint",
    "shuffle",
    "truncated_normal",
    "uniform",
]


class SeedGenerator:
    """A sequence of seeds that its initial seed determines.

    Args:
        seed: an integer; by default from `keras.utils.set_random_seed`, or else random.
        name: a name.
        **kwargs: refused.

    Raises:
        ValueError: if the seed is no integer.

    >>> seeds = tf.keras.random.SeedGenerator(1)
    >>> a, b = (tf.keras.random.normal([2], seed=seeds) for _ in range(2))
    >>> bool(tf.reduce_any(a == b))
    False
    """

    def __init__(self, seed: int | None = None, name: str | None = None, **kwargs: Any) -> None:
        if kwargs:
            raise ValueError(f"Unrecognized keyword arguments: {kwargs}")
        if seed is not None and not isinstance(seed, int):
            raise ValueError(f"Argument `seed` must be an integer. Received: seed={seed}")
        self._initial_seed = seed
        start = random_generator._new_seed() if seed is None else seed
        self.name = name or "seed_generator"
        state = _core.convert([start, 0], dtypes.int64, None)
        self.state = Variable(state, trainable=False, name="seed_generator_state")

    def next(self, ordered: bool = True) -> _core.Tensor:
        """The next seed: two integers."""
        seed = _ops.identity(self.state)
        self.state.assign_add(_core.convert([0, 1], dtypes.int64, None))
        return seed

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a generator like this one."""
        return {"seed": self._initial_seed}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> SeedGenerator:
        """A generator from what `get_config` returned."""
        return cls(**config)


class _Default:
    """The default generator; a new one once the program sets its seed."""

    def __init__(self) -> None:
        self._source: Any = self
        self._seeds: SeedGenerator | None = None

    def next(self) -> _core.Tensor:
        source = random_generator._seeds.generator
        if self._seeds is None or source is not self._source:
            self._source, self._seeds = source, SeedGenerator()
        return self._seeds.next()


_default = _Default()


def _seed_of(seed: int | SeedGenerator | None) -> _core.Tensor:
    if isinstance(seed, SeedGenerator):
        return seed.next()
    if seed is None:
        return _default.next()
    if isinstance(seed, int):
        return _core.convert([seed, 0], dtypes.int64, None)
    seed = tensor(seed)
    return seed if seed.ndim else _ops.stack([seed, _ops.zeros_like(seed)])


def _float(dtype: Any) -> dtypes.DType:
    return dtypes.as_dtype(dtype or config.floatx())


@op_function
def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> _core.Tensor:
    """Normal numbers.

    Args:
        shape: the result's shape.
        mean: their mean.
        stddev: their standard deviation.
        dtype: a floating dtype.
        seed: with an integer, each call draws the same values; with a `SeedGenerator` the next ones.

    >>> tf.keras.random.normal([2, 3], seed=1).shape
    TensorShape([2, 3])
    """
    kind = _float(dtype)
    return stateless.stateless_normal(sizes(shape), _seed_of(seed), mean, stddev, kind)


@op_function
def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0.0,
    maxval: TensorLike = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> _core.Tensor:
    """Uniformly distributed values between two bounds; see `normal`."""
    kind = _float(dtype)
    return stateless.stateless_uniform(sizes(shape), _seed_of(seed), minval, maxval, kind)


@op_function
def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> _core.Tensor:
    """Normally distributed values within two standard deviations of the mean; see `normal`."""
    kind = _float(dtype)
    return stateless.stateless_truncated_normal(sizes(shape), _seed_of(seed), mean, stddev, kind)


@op_function
def randint(
    shape: ShapeLike, minval: Any, maxval: TensorLike, dtype: DTypeLike = "int32", seed: Any = None
) -> _core.Tensor:
    """Integers from minval, below maxval; see `normal`."""
    kind = dtypes.as_dtype(dtype)
    if kind.is_floating:
        raise ValueError(
            f"`keras.random.randint` requires an integer `dtype`. Received: dtype={dtype}"
        )
    wide = kind if kind.name in ("int32", "int64") else dtypes.int64
    numbers = stateless.stateless_uniform(sizes(shape), _seed_of(seed), minval, maxval, wide)
    return numbers if wide == kind else _ops.cast(numbers, kind)


@op_function
def categorical(logits: Any, num_samples: int, dtype: DTypeLike = "int32", seed: Any = None) -> Any:
    """Classes `[batch, num_samples]`, drawn with the probabilities of logits."""
    return stateless.stateless_categorical(
        floating(logits), num_samples, _seed_of(seed), dtypes.as_dtype(dtype)
    )


@op_function
def gamma(shape: ShapeLike, alpha: Any, dtype: DTypeLike | None = None, seed: Any = None) -> Any:
    """Values of the gamma distribution with rate 1; see `normal`."""
    kind = _float(dtype)
    alpha = tensor(alpha, kind)
    return distributions.stateless_gamma(sizes(shape), _seed_of(seed), alpha, dtype=kind)


@op_function
def beta(
    shape: ShapeLike, alpha: Any, beta: TensorLike, dtype: DTypeLike | None = None, seed: Any = None
) -> _core.Tensor:
    """Values of the beta distribution; see `normal`."""
    first = _seed_of(seed)
    one = gamma(shape, alpha, dtype, first)
    other = gamma(shape, beta, dtype, first + 12)
    return one / (one + other)


@op_function
def binomial(
    shape: ShapeLike,
    counts: TensorLike,
    probabilities: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | SeedGenerator | None = None,
) -> _core.Tensor:
    """How many of `counts` trials succeed; see `normal`."""
    kind = _float(dtype)
    return _ops.cast(
        distributions.stateless_binomial(
            sizes(shape), _seed_of(seed), tensor(counts, kind), tensor(probabilities, kind), kind
        ),
        kind,
    )


@op_function
def dropout(inputs: TensorLike, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Sets a random fraction of the values to zero, and scales the others accordingly."""
    inputs = floating(inputs)
    shape = list(inputs._shape_tuple())
    if noise_shape is not None:
        shape = [size if n is None else n for size, n in zip(shape, noise_shape, strict=True)]
    kept = _ops.greater_equal(uniform(shape, seed=seed), float(rate))
    return inputs * _ops.cast(kept, inputs.dtype) / (1.0 - rate)


@op_function
def shuffle(x: TensorLike, axis: int = 0, seed: int | SeedGenerator | None = None) -> _core.Tensor:
    """Slices along an axis in another order."""
    x = tensor(x)
    keys = uniform([x._shape_tuple()[axis]], seed=seed)
    return _ops.gather(x, _ops.argsort(keys), axis=axis)
