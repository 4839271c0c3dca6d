from eagerflow.framework.random_seed import set_seed as set_seed
from eagerflow.ops.nn.candidate_sampling import (
    all_candidate_sampler as all_candidate_sampler,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from eagerflow.ops.random.algorithm import Algorithm as Algorithm
from eagerflow.ops.random.distributions import (
    gamma as gamma,
    poisson as poisson,
    stateless_binomial as stateless_binomial,
    stateless_gamma as stateless_gamma,
    stateless_poisson as stateless_poisson,
)
from eagerflow.ops.random.generator import (
    create_rng_state as create_rng_state,
    Generator as Generator,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from eagerflow.ops.random.stateful import (
    categorical as categorical,
    normal as normal,
    shuffle as shuffle,
    truncated_normal as truncated_normal,
    uniform as uniform,
)
from eagerflow.ops.random.stateless import (
    fold_in as fold_in,
    split as split,
    stateless_categorical as stateless_categorical,
    stateless_normal as stateless_normal,
    stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform,
)
from eagerflow.ops.random.truncated_normal import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from eagerflow.random import experimental as experimental
