"""tf.autodiff: automatic differentiation."""

from eagerflow.forward_mode import ForwardAccumulator
from eagerflow.tape import GradientTape

__all__ = ["ForwardAccumulator", "GradientTape"]
