from eagerflow_compat.contrib.distributions.scalars import Logistic as Logistic
from eagerflow_compat.contrib.distributions.scalars import Poisson as Poisson
from eagerflow_compat.contrib.distributions.vectors import (
    Independent as Independent,
)
from eagerflow_compat.contrib.distributions.vectors import (
    MultivariateNormalDiag as MultivariateNormalDiag,
)
from eagerflow_compat.contrib.distributions.vectors import (
    OneHotCategorical as OneHotCategorical,
)
from eagerflow_compat.v1.distributions import (
    FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED,
)
from eagerflow_compat.v1.distributions import (
    NOT_REPARAMETERIZED as NOT_REPARAMETERIZED,
)
from eagerflow_compat.v1.distributions import (
    Bernoulli as Bernoulli,
)
from eagerflow_compat.v1.distributions import (
    Beta as Beta,
)
from eagerflow_compat.v1.distributions import (
    Categorical as Categorical,
)
from eagerflow_compat.v1.distributions import (
    Dirichlet as Dirichlet,
)
from eagerflow_compat.v1.distributions import (
    DirichletMultinomial as DirichletMultinomial,
)
from eagerflow_compat.v1.distributions import (
    Distribution as Distribution,
)
from eagerflow_compat.v1.distributions import (
    Exponential as Exponential,
)
from eagerflow_compat.v1.distributions import (
    Gamma as Gamma,
)
from eagerflow_compat.v1.distributions import (
    Laplace as Laplace,
)
from eagerflow_compat.v1.distributions import (
    Multinomial as Multinomial,
)
from eagerflow_compat.v1.distributions import (
    Normal as Normal,
)
from eagerflow_compat.v1.distributions import (
    RegisterKL as RegisterKL,
)
from eagerflow_compat.v1.distributions import (
    ReparameterizationType as ReparameterizationType,
)
from eagerflow_compat.v1.distributions import (
    StudentT as StudentT,
)
from eagerflow_compat.v1.distributions import (
    Uniform as Uniform,
)
from eagerflow_compat.v1.distributions import (
    kl_divergence as kl_divergence,
)
