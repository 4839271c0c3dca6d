"""tensorflow.python.eager.backprop: the tape and the gradient functions."""

from eagerflow.autodiff.tape import GradientTape
from eagerflow.v1.gradient_functions import (
    gradients_function,
    make_vjp,
    value_and_gradients_function,
)
from eagerflow.v1.gradient_functions import implicit_gradients as implicit_grad
from eagerflow.v1.gradient_functions import implicit_value_and_gradients as implicit_val_and_grad
from eagerflow.v1.gradient_functions import value_and_gradients_function as val_and_grad_function

__all__ = [
    "GradientTape",
    "gradients_function",
    "implicit_grad",
    "implicit_val_and_grad",
    "make_vjp",
    "val_and_grad_function",
    "value_and_gradients_function",
]
