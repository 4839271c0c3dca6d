"""Random variables: `tf.distributions` of version 1, and `tf.contrib.distributions`."""

from eagerflow_compat.v1.distributions.continuous import Laplace, Normal, StudentT, Uniform
from eagerflow_compat.v1.distributions.discrete import (
    Bernoulli,
    Categorical,
    DirichletMultinomial,
    Multinomial,
)
from eagerflow_compat.v1.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    ReparameterizationType,
)
from eagerflow_compat.v1.distributions.divergence import RegisterKL, kl_divergence
from eagerflow_compat.v1.distributions.positive import Beta, Dirichlet, Exponential, Gamma

__all__ = [
    "FULLY_REPARAMETERIZED",
    "NOT_REPARAMETERIZED",
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "Gamma",
    "Laplace",
    "Multinomial",
    "Normal",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "Uniform",
    "kl_divergence",
]
