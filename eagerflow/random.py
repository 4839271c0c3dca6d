"""tf.random: random numbers, from TensorFlow's own streams."""

from eagerflow.ops.random import (
    normal,
    shuffle,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
    truncated_normal,
    uniform,
)
from eagerflow.random_seed import set_seed

__all__ = [
    "normal",
    "set_seed",
    "shuffle",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]
