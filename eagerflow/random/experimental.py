"""tf.random.experimental: older names of generators, and stateless helpers."""

from eagerflow.ops.random.algorithm import (
    Algorithm,
)
from eagerflow.ops.random.distributions import (
    index_shuffle,
)
from eagerflow.ops.random.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from eagerflow.ops.random.stateless import (
    fold_in as stateless_fold_in,
)
from eagerflow.ops.random.stateless import (
    split as stateless_split,
)
from eagerflow.ops.random.stateless import (
    stateless_shuffle,
)

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
