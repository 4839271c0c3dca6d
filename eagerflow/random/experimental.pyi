from eagerflow.ops.random.algorithm import Algorithm as Algorithm
from eagerflow.ops.random.distributions import index_shuffle as index_shuffle
from eagerflow.ops.random.generator import (
    create_rng_state as create_rng_state,
    Generator as Generator,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from eagerflow.ops.random.stateless import fold_in, split, stateless_shuffle as stateless_shuffle

stateless_fold_in = fold_in
stateless_split = split
