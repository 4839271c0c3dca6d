"""tf.random: random numbers, from TensorFlow's own streams."""

from eagerflow.ops.candidate_sampling import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
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
from eagerflow.ops.random_distributions import (
    gamma,
    poisson,
    stateless_binomial,
    stateless_gamma,
    stateless_poisson,
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
from eagerflow.ops.truncated_normal import stateless_parameterized_truncated_normal
from eagerflow.random import (
    experimental,
)
from eagerflow.random_seed import (
    set_seed,
)

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]
