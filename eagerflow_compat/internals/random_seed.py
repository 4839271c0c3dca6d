"""tensorflow.python.framework.random_seed: seeds of random operations."""

from eagerflow.framework.random_seed import get_seed, set_seed
from eagerflow.framework.random_seed import set_seed as set_random_seed

__all__ = ["get_seed", "set_random_seed", "set_seed"]
