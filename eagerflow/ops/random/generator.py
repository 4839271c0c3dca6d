"""tf.random.Generator: random values whose state is a variable that can be read and saved."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import distribution_state, dtypes, random_seed
from eagerflow.framework.module import AutoTrackable
from eagerflow.framework.op_function import op_function
from eagerflow.framework.variable import Variable
from eagerflow.ops.random.algorithm import checked_algorithm
from eagerflow.ops.random.distributions import binomial_size, binomial_tensor
from eagerflow.ops.random.stateful import between, elements_in, integer_bounds, scaled, sizes_of
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

# The 128-bit counter, lower half first, and the key.
_STATE_SIZE = 3


def _words(values: TensorLike) -> list[int]:
    """Integers of any width and sign as a list of signed 64-bit ones."""
    if hasattr(values, "numpy"):
        values = values.numpy()
    return [random_seed.signed(int(word)) for word in np.asarray(values, dtype=object).reshape(-1)]


@op_function
def create_rng_state(seed: TensorLike, alg: int | str | Tensor) -> Tensor:
    """The state of a `tf.random.Generator` made from a seed.

    Args:
        seed: an integer, or a list of up to three.
        alg: the generator, see `tf.random.Algorithm`.

    Returns:
        An int64 tensor: the counter, lower half first, and the key.

    >>> tf.random.create_rng_state(1234, "philox")
    <tf.Tensor: shape=(3,), dtype=int64, numpy=array([1234,    0,    0])>
    """
    checked_algorithm(alg)
    if isinstance(seed, Tensor) and _core.static_value(seed) is None:
        return _padded_words(seed)
    if isinstance(seed, int):
        words = [random_seed.signed(seed >> 64 * i) for i in range(_STATE_SIZE)]
    else:
        words = _words(seed)[:_STATE_SIZE]
    return _core.convert([0] * (_STATE_SIZE - len(words)) + words, dtypes.int64, None)


def _padded_words(seed: Tensor) -> Tensor:
    """A state from a seed that a graph computes, with zeros before the seed."""
    words = _ops.reshape(_ops.cast(seed, dtypes.int64), [-1])[:_STATE_SIZE]
    count = _ops.shape(words, dtypes.int64)[0]
    return _ops.concat([_ops.fill(_core.convert(0, dtypes.int64), [_STATE_SIZE - count]), words], 0)


def _count(number: Any) -> Tensor | int:
    """An integer, or an int64 scalar of a graph."""
    if isinstance(number, Tensor) and _core.static_value(number) is None:
        return _ops.cast(number, dtypes.int64)
    return int(number)


class Generator(AutoTrackable):
    """A random number generator with its own state.

    Make one with `from_seed`, `from_non_deterministic_state`, `from_state` or `from_key_counter`.

    Args:
        copy_from: a generator to copy.
        state: three integers, as from `create_rng_state`, if `copy_from` is None.
        alg: the algorithm, see `tf.random.Algorithm`.

    >>> g = tf.random.Generator.from_seed(1)
    >>> first = g.normal([2])
    >>> g.reset_from_seed(1)
    >>> bool(tf.reduce_all(g.normal([2]) == first))
    True
    """

    _alg: Any
    _state_var: Variable

    def __init__(
        self, copy_from: Generator | None = None, state: Any = None, alg: Any = None
    ) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("`state` and `alg` come with the generator to copy.")
            self._alg = copy_from._alg
            initial: Any = copy_from._state_var.read_value()
        else:
            if state is None or alg is None:
                raise ValueError("A Generator needs `copy_from`, or `state` and `alg`.")
            self._alg = checked_algorithm(alg)
            initial = self._checked_state(state)
        # Replicas that share a generator of their strategy draw from streams of their own.
        self._of_replicas = distribution_state.has_strategy()
        self._state_var = Variable(initial, trainable=False, name="StateVar", dtype=dtypes.int64)

    @classmethod
    def from_state(cls, state: TensorLike, alg: int | str | Tensor) -> Generator:
        """A generator that continues from a state.

        Args:
            state: the three integers of another generator's `state`.
            alg: the algorithm, see `tf.random.Algorithm`.
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: int | str | Tensor | None = None) -> Generator:
        """A generator from a seed.

        Args:
            seed: an integer, or a list of up to three.
            alg: the algorithm, see `tf.random.Algorithm`; Philox if None.

        >>> first, second = (tf.random.Generator.from_seed(1) for _ in range(2))
        >>> bool(tf.reduce_all(first.normal([3]) == second.normal([3])))
        True
        """
        alg = 1 if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: int | str | Tensor | None = None) -> Generator:
        """A generator seeded from the system's entropy.

        Args:
            alg: the algorithm, see `tf.random.Algorithm`; Philox if None.
        """
        state = np.frombuffer(random_seed.system_entropy(8 * _STATE_SIZE), np.int64)
        return cls(state=state, alg=1 if alg is None else alg)

    @classmethod
    def from_key_counter(cls, key: TensorLike, counter: TensorLike, alg: Any) -> Generator:
        """A generator from the parts of its state.

        Args:
            key: an integer.
            counter: two integers, lower half first.
            alg: the algorithm, see `tf.random.Algorithm`.
        """
        return cls(state=cls._joined(key, counter), alg=alg)

    @staticmethod
    def _joined(key: TensorLike, counter: TensorLike) -> list[int]:
        words = _words(counter)
        if len(words) != _STATE_SIZE - 1:
            raise ValueError(f"Shapes ({len(words)},) and [{_STATE_SIZE - 1}] are incompatible")
        return words + _words(key)

    @staticmethod
    def _checked_state(state: TensorLike) -> Tensor:
        if isinstance(state, _core.Variable):
            state = state.read_value()
        if isinstance(state, Tensor) and _core.static_value(state) is None:
            state.shape.assert_is_compatible_with([_STATE_SIZE])
            return _ops.cast(state, dtypes.int64)
        words = _words(state)
        if len(words) != _STATE_SIZE:
            raise ValueError(f"Shapes ({len(words)},) and [{_STATE_SIZE}] are incompatible")
        return _core.convert(words, dtypes.int64, None)

    def reset(self, state: TensorLike) -> None:
        """Sets the state.

        Raises:
            ValueError: if it does not have three integers.
        """
        self._state_var.assign(self._checked_state(state))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Sets the state to that of `from_seed(seed)`."""
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Sets the state from its parts, see `from_key_counter`."""
        self._state_var.assign(self._checked_state(self._joined(key, counter)))

    @property
    def state(self) -> Variable:
        """The state: a variable of three int64, the counter's halves and the key."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The algorithm's id."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The key, which draws never change."""
        return self._state_var.read_value()[_STATE_SIZE - 1]

    def _take(self, outputs: Any) -> tuple[Any, Any, Any]:
        """The current key and counter; then advances by as much as `outputs` values may need."""
        blocks = outputs * random_seed.RESERVED_PER_OUTPUT
        if isinstance(blocks, int):
            blocks = random_seed.signed(blocks)
        key, low, high = random_seed.advanced(self._state_var, blocks)
        if self._of_replicas and distribution_state.copy_number() is None:
            for copy in getattr(self._state_var, "values", ())[1:]:
                _core.advance_state(copy, blocks)
        return key, low, high

    def _draw(self, outputs: int | Tensor) -> tuple[Any, Any, Any]:
        """The key and counter for values: those of `_take`, with a replica's own key."""
        key, low, high = self._take(outputs)
        replica = distribution_state.replica_context()
        if self._of_replicas and replica is not None:
            replica_id = replica._replica_id
            word = _ops.philox_uniform_full_int([1], dtypes.int64, key, replica_id, 0)[0]
            key = word if _core.is_symbolic(word) else int(word)
        return key, low, high

    def skip(self, delta: TensorLike) -> Tensor:
        """Advances as if `delta` values had been drawn.

        Returns:
            The state before.
        """
        key, low, high = self._take(_count(delta))
        return _core.convert([low, high, key], dtypes.int64, None)

    def _arguments(self, shape: Any, dtype: DTypeLike, op: str) -> tuple[Any, Any, Any, Any, Any]:
        sizes, _ = sizes_of(shape, op)
        return sizes, dtype, *self._draw(elements_in(sizes))

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normally distributed values.

        Args:
            shape: the sizes of the result.
            mean: the mean.
            stddev: the standard deviation.
            dtype: a floating dtype.
        """
        dtype = dtypes.as_dtype(dtype)
        mean = _core.convert(mean, dtype, None)
        stddev = _core.convert(stddev, dtype, None)
        sample = _ops.philox_normal(*self._arguments(shape, dtype, "StatelessRandomNormalV2"))
        return scaled(sample, mean, stddev)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Normally distributed values within two standard deviations of the mean.

        Args:
            shape: the sizes of the result.
            mean: the mean before truncation.
            stddev: the standard deviation before truncation.
            dtype: a floating dtype.
        """
        dtype = dtypes.as_dtype(dtype)
        mean = _core.convert(mean, dtype, None)
        stddev = _core.convert(stddev, dtype, None)
        arguments = self._arguments(shape, dtype, "StatelessTruncatedNormalV2")
        return scaled(_ops.philox_truncated_normal(*arguments), mean, stddev)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Uniformly distributed values in `[minval, maxval)`.

        Args:
            shape: the sizes of the result.
            minval: the lower bound, included; None with `maxval` None: all integers of the dtype.
            maxval: the upper bound, excluded; 1 for floating dtypes.
            dtype: a floating dtype, or an integer of 32 or 64 bits.

        Raises:
            ValueError: for integers if only one bound is given.
        """
        dtype = dtypes.as_dtype(dtype)
        if not dtype.is_integer:
            arguments = self._arguments(shape, dtype, "StatelessRandomUniformV2")
            return between(_ops.philox_uniform(*arguments), minval, maxval)
        if (minval is None) != (maxval is None):
            raise ValueError(
                f"For integer dtype {dtype}, minval and maxval must be both `None` or both "
                f"non-`None`; got minval={minval} and maxval={maxval}"
            )
        if minval is None:
            return self.uniform_full_int(shape, dtype)
        op = "StatelessRandomUniformIntV2"
        bounds = integer_bounds(minval, maxval, dtype, op)
        return _ops.philox_uniform_int(*self._arguments(shape, dtype, op), *bounds)

    def uniform_full_int(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers uniform over all values of the dtype.

        Args:
            shape: the sizes of the result.
            dtype: an integer of 32 or 64 bits.
        """
        arguments = self._arguments(
            shape, dtypes.as_dtype(dtype), "StatelessRandomUniformFullIntV2"
        )
        return _ops.philox_uniform_full_int(*arguments)

    def binomial(
        self,
        shape: ShapeLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """Binomially distributed values.

        Args:
            shape: the shape of the result, which ends with that of the parameters.
            counts: the number of trials.
            probs: the chances of success, which broadcast with `counts`.
            dtype: the dtype of the result, floating, int32 or int64.
        """
        sizes, _ = sizes_of(shape, "StatefulRandomBinomial")
        parameters = binomial_size(counts, probs)
        # TensorFlow reserves 200 outputs for each value, four at a time.
        outputs = parameters * 200 * (elements_in(sizes) // parameters + 3) // 4
        return binomial_tensor(self._take(outputs), sizes, counts, probs, dtypes.as_dtype(dtype))

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for the stateless functions.

        Returns:
            int64 `[2, count]`: one seed in each column.
        """
        keys = self.uniform_full_int([count], dtypes.int64)
        return _ops.stack([keys, _ops.zeros_like(keys)], 0)

    def split(self, count: int = 1) -> list[Generator]:
        """Generators whose values are independent of each other's and of this one's.

        Args:
            count: how many to make.

        >>> [len(g.normal([3])) for g in tf.random.Generator.from_seed(1).split(2)]
        [3, 3]
        """
        keys = self.uniform_full_int([count], dtypes.int64).numpy().tolist()
        zeros = [0] * (_STATE_SIZE - 1)
        return [Generator(state=[*zeros, key], alg=self._alg) for key in keys]


_global_generator: Generator | None = None


def get_global_generator() -> Generator:
    """The global generator, seeded from the system's entropy.

    >>> tf.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


def set_global_generator(generator: Generator) -> None:
    """Replaces the global generator.

    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(3))
    >>> tf.random.get_global_generator().state.numpy()
    array([3, 0, 0])
    """
    global _global_generator
    _global_generator = generator
