"""The base of layers that draw random numbers."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.random_generator import RandomGenerator, is_tf_random_generator_enabled


class BaseRandomLayer(Layer):
    """A layer with its own random generator, `_random_generator`.

    Args:
        seed: the random seed; drawn if it is None.
        force_generator: whether random values come from a `tf.random.Generator` in any case.
        rng_type: see `RandomGenerator`.
    """

    _unsaved_arguments = frozenset({"force_generator", "rng_type"})

    def __init__(
        self,
        seed: int | None = None,
        force_generator: bool = False,
        rng_type: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if rng_type is None:
            own = force_generator or is_tf_random_generator_enabled()
            rng_type = "stateful" if own else "legacy_stateful"
        self._seed = seed
        self._random_generator = RandomGenerator(seed, rng_type=rng_type)

    def _saved_model_children(self) -> dict[str, Any]:
        generator = self._random_generator._generator
        own = {} if generator is None else {"_random_generator": generator}
        return own | super()._saved_model_children()

    def build(self, input_shape: Any) -> None:
        """Draws the seed, if there is none: after those of layers that are built before."""
        super().build(input_shape)
        self._random_generator._ready()
