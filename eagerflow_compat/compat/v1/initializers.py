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
from eagerflow.keras.legacy_initializers import (
    Constant as constant,
)
from eagerflow.keras.legacy_initializers import (
    GlorotNormal as glorot_normal,
)
from eagerflow.keras.legacy_initializers import (
    GlorotUniform as glorot_uniform,
)
from eagerflow.keras.legacy_initializers import (
    Identity as identity,
)
from eagerflow.keras.legacy_initializers import (
    Ones as ones,
)
from eagerflow.keras.legacy_initializers import (
    Orthogonal as orthogonal,
)
from eagerflow.keras.legacy_initializers import (
    RandomNormal as random_normal,
)
from eagerflow.keras.legacy_initializers import (
    RandomUniform as random_uniform,
)
from eagerflow.keras.legacy_initializers import (
    TruncatedNormal as truncated_normal,
)
from eagerflow.keras.legacy_initializers import (
    UniformUnitScaling as uniform_unit_scaling,
)
from eagerflow.keras.legacy_initializers import (
    VarianceScaling as variance_scaling,
)
from eagerflow.keras.legacy_initializers import (
    Zeros as zeros,
)
from eagerflow_compat.v1.initializers import (
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
