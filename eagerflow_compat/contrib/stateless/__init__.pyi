from eagerflow.random import (
    stateless_categorical as stateless_categorical,
)
from eagerflow.random import (
    stateless_normal as stateless_normal,
)
from eagerflow.random import (
    stateless_truncated_normal as stateless_truncated_normal,
)
from eagerflow.random import (
    stateless_uniform as stateless_uniform,
)

stateless_multinomial = stateless_categorical
stateless_random_normal = stateless_normal
stateless_random_uniform = stateless_uniform
