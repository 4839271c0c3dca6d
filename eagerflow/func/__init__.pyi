from eagerflow.func.derivatives import (
    grad as grad,
    hessian as hessian,
    jacfwd as jacfwd,
    jacrev as jacrev,
    jvp as jvp,
    value_and_grad as value_and_grad,
    vjp as vjp,
)
from eagerflow.func.mapping import vmap as vmap
from eagerflow.func.stateless import functional_call as functional_call
