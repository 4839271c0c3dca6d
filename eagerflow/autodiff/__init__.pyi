from eagerflow.autodiff.forward_mode import ForwardAccumulator as ForwardAccumulator
from eagerflow.autodiff.tape import GradientTape as GradientTape
