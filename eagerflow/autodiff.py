"""tf.autodiff: automatic differentiation."""

from eagerflow.tape import GradientTape

__all__ = ["GradientTape"]
