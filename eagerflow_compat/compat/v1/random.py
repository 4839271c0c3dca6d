"""tf.compat.v1.random: random tensors."""

from eagerflow.graph.defaults import get_seed, set_random_seed
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.random",
    renamed={
        "poisson": "v1.arithmetic.random_poisson",
        "multinomial": "v1.arithmetic.multinomial",
        "stateless_multinomial": "v1.arithmetic.stateless_multinomial",
    },
)
