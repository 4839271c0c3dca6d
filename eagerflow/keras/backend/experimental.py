"""tf.keras.backend.experimental: whether random layers have generators of their own."""

from eagerflow.keras.random_generator import (
    disable_tf_random_generator,
    enable_tf_random_generator,
    is_tf_random_generator_enabled,
)

__all__ = [
    "disable_tf_random_generator",
    "enable_tf_random_generator",
    "is_tf_random_generator_enabled",
]
