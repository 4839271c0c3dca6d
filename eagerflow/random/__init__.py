"""tf.random: random numbers, from TensorFlow's own streams."""

from eagerflow.framework.random_seed import set_seed
from eagerflow.ops.nn.candidate_sampling import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from eagerflow.ops.random.algorithm import (
    Algorithm,
)
from eagerflow.ops.random.distributions import (
    gamma,
    poisson,
    stateless_binomial,
    stateless_gamma,
    stateless_poisson,
)
from eagerflow.ops.random.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from eagerflow.ops.random.stateful import (
    categorical,
    normal,
    shuffle,
    truncated_normal,
    uniform,
)
from eagerflow.ops.random.stateless import (
    fold_in,
    split,
    stateless_categorical,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from eagerflow.ops.random.truncated_normal import stateless_parameterized_truncated_normal
from eagerflow.random import (
    experimental,
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
