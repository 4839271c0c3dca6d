from eagerflow.contrib.distributions.scalars import Logistic as Logistic, Poisson as Poisson
from eagerflow.contrib.distributions.vectors import (
    Independent as Independent,
    MultivariateNormalDiag as MultivariateNormalDiag,
    OneHotCategorical as OneHotCategorical,
)
from eagerflow.v1.distributions import (
    FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED as NOT_REPARAMETERIZED,
    Bernoulli as Bernoulli,
    Beta as Beta,
    Categorical as Categorical,
    Dirichlet as Dirichlet,
    DirichletMultinomial as DirichletMultinomial,
    Distribution as Distribution,
    Exponential as Exponential,
    Gamma as Gamma,
    Laplace as Laplace,
    Multinomial as Multinomial,
    Normal as Normal,
    RegisterKL as RegisterKL,
    ReparameterizationType as ReparameterizationType,
    StudentT as StudentT,
    Uniform as Uniform,
    kl_divergence as kl_divergence,
)
