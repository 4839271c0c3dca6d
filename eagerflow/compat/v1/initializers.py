"""tf.compat.v1.initializers: version 1's initializers."""

from eagerflow.graph.variables import (
    global_variables_initializer as global_variables,
)
from eagerflow.graph.variables import (
    local_variables_initializer as local_variables,
)
from eagerflow.graph.variables import (
    tables_initializer,
)
from eagerflow.graph.variables import (
    variables_initializer as variables,
)
from eagerflow.v1.initializers import (
    Constant as constant,
)
from eagerflow.v1.initializers import (
    GlorotNormal as glorot_normal,
)
from eagerflow.v1.initializers import (
    GlorotUniform as glorot_uniform,
)
from eagerflow.v1.initializers import (
    Identity as identity,
)
from eagerflow.v1.initializers import (
    Ones as ones,
)
from eagerflow.v1.initializers import (
    Orthogonal as orthogonal,
)
from eagerflow.v1.initializers import (
    RandomNormal as random_normal,
)
from eagerflow.v1.initializers import (
    RandomUniform as random_uniform,
)
from eagerflow.v1.initializers import (
    TruncatedNormal as truncated_normal,
)
from eagerflow.v1.initializers import (
    UniformUnitScaling as uniform_unit_scaling,
)
from eagerflow.v1.initializers import (
    VarianceScaling as variance_scaling,
)
from eagerflow.v1.initializers import (
    Zeros as zeros,
)
from eagerflow.v1.initializers import (
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
