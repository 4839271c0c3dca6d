"""The random generators of initializers and random layers."""

from __future__ import annotations

import random as _python_random
import threading
from typing import Any

from eagerflow import _core, random
from eagerflow.framework import context
from eagerflow.framework.sizes import shape_of
from eagerflow.keras import config
from eagerflow.ops.nn import normalization
from eagerflow.ops.random import stateful, stateless
from eagerflow.ops.random.generator import Generator
from eagerflow.typing import DTypeLike

_ops = _core.ops


class _SeedSource(threading.local):
    generator: _python_random.Random | None = None


_seeds = _SeedSource()


def set_seed_source(seed: int | None) -> None:
    """Derives the seeds of unseeded generators from `seed`; None: from Python's `random`."""
    _seeds.generator = None if seed is None else _python_random.Random(seed)


class _Choice(threading.local):
    layers_have_generators = False


_choice = _Choice()


def is_tf_random_generator_enabled() -> bool:
    """Whether layers made from now on draw from a `tf.random.Generator` of their own.

    >>> tf.keras.backend.experimental.is_tf_random_generator_enabled()
    False
    """
    return _choice.layers_have_generators


def enable_tf_random_generator() -> None:
    """Has new random layers, such as Dropout, use a `tf.random.Generator` each."""
    _choice.layers_have_generators = True


def disable_tf_random_generator() -> None:
    """Lets layers that are made from now on draw with the functions of `tf.random`."""
    _choice.layers_have_generators = False


def _new_seed() -> int:
    return (_seeds.generator or _python_random).randint(1, int(1e9))


class RandomGenerator:
    """Random values by one of three kinds of generators.

    Args:
        seed: an integer; one is drawn at the first use if it is None.
        rng_type: "stateless" draws the same values in each call, "stateful" uses a
            `tf.random.Generator`, "legacy_stateful" the functions of `tf.random`.
        **kwargs: `force_generator=True` means "stateful".

    Raises:
        ValueError: for another kind.
    """

    RNG_STATELESS = "stateless"
    RNG_STATEFUL = "stateful"
    RNG_LEGACY_STATEFUL = "legacy_stateful"

    def __init__(self, seed: int | None = None, rng_type: str | None = None, **kwargs: Any) -> None:
        if kwargs.get("force_generator") or rng_type is None:
            rng_type = self.RNG_STATEFUL
        if rng_type not in (self.RNG_STATEFUL, self.RNG_LEGACY_STATEFUL, self.RNG_STATELESS):
            raise ValueError(
                "Invalid `rng_type` received. Valid `rng_type` are "
                f'["stateless", "stateful", "legacy_stateful"]. Got: {rng_type}'
            )
        if rng_type == self.RNG_STATELESS and seed is None and not context.process.version_2:
            # There, the seed of the program is that of first weights, too.
            rng_type = self.RNG_LEGACY_STATEFUL
        self._seed: Any = seed
        self._rng_type = rng_type
        self._generator: Any = None

    def _ready(self) -> None:
        if self._rng_type == self.RNG_STATELESS and self._seed is None:
            self._seed = _new_seed()
        elif self._rng_type == self.RNG_STATEFUL and self._generator is None:
            seed = _new_seed() if self._seed is None else self._seed
            self._generator = Generator.from_seed(seed, alg="auto_select")

    def make_seed_for_stateless_op(self) -> Any:
        """The two integers of a stateless operation's seed; None for the legacy kind."""
        self._ready()
        if self._rng_type == self.RNG_STATELESS:
            return [self._seed, 0]
        if self._rng_type == self.RNG_STATEFUL:
            return self._generator.make_seeds()[:, 0]
        return None

    def make_legacy_seed(self) -> int | None:
        """The seed of the next operation of `tf.random`: incremented by each call; None without a seed."""
        if self._seed is None:
            return None
        self._seed += 1
        return self._seed - 1

    def _sample(self, name: str, shape: Any, low: Any, high: Any, dtype: Any, nonce: Any) -> Any:
        self._ready()
        dtype = config.float_dtype(dtype)
        if self._rng_type == self.RNG_STATEFUL:
            return getattr(self._generator, name)(shape, low, high, dtype=dtype)
        if self._rng_type == self.RNG_STATELESS:
            seed: Any = [self._seed, 0]
            if nonce:
                seed = random.experimental.stateless_fold_in(seed, nonce)
            return getattr(stateless, f"stateless_{name}")(shape, seed, low, high, dtype=dtype)
        return getattr(stateful, name)(shape, low, high, dtype=dtype, seed=self.make_legacy_seed())

    def random_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, nonce: Any = None
    ) -> _core.Tensor:
        """Normally distributed values."""
        return self._sample("normal", shape, mean, stddev, dtype, nonce)

    def random_uniform(
        self,
        shape: Any,
        minval: Any = 0.0,
        maxval: Any = None,
        dtype: DTypeLike | None = None,
        nonce: Any = None,
    ) -> _core.Tensor:
        """Uniform values in [minval, maxval)."""
        return self._sample("uniform", shape, minval, maxval, dtype, nonce)

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, nonce: Any = None
    ) -> _core.Tensor:
        """Normally distributed values; values beyond two standard deviations are drawn again."""
        return self._sample("truncated_normal", shape, mean, stddev, dtype, nonce)

    def dropout(self, inputs: Any, rate: float, noise_shape: Any = None) -> Any:
        """`inputs` with a fraction of `rate` set to zero and the rest scaled up."""
        self._ready()
        if self._rng_type == self.RNG_LEGACY_STATEFUL:
            seed = self.make_legacy_seed()
            return normalization.dropout(inputs, rate, noise_shape=noise_shape, seed=seed)
        if rate == 0:
            return inputs
        dtype = inputs.dtype
        shape = shape_of(inputs)
        if noise_shape is not None:
            shape = [
                own if size is None else size for size, own in zip(noise_shape, shape, strict=True)
            ]
        if self._rng_type == self.RNG_STATEFUL:
            noise = self._generator.uniform(shape, dtype=dtype)
        else:
            noise = stateless.stateless_uniform(shape, [self._seed, 0], dtype=dtype)
        scaled = _ops.multiply(inputs, _core.convert(1.0 / (1.0 - rate), dtype, None))
        return _ops.select(_ops.greater_equal(noise, rate), scaled, _ops.zeros([], dtype))
