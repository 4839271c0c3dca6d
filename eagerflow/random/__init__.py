"""tf.random: random numbers, from TensorFlow's own streams."""

from eagerflow.ops.random import (
    categorical,
    normal,
    shuffle,
    truncated_normal,
    uniform,
)
from eagerflow.ops.random_algorithm import (
    Algorithm,
)
from eagerflow.ops.random_generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from eagerflow.ops.stateless_random import (
    fold_in,
    split,
    stateless_categorical,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from eagerflow.random import (
    experimental,
)
from eagerflow.random_seed import (
    set_seed,
)

__all__ = [
    "Algorithm",
    "Generator",
    "categorical",
    "create_rng_state",
    "experimental",
    "fold_in",
    "get_global_generator",
    "normal",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_categorical",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]
