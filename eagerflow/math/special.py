"""tf.math.special: Bessel functions and integrals."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, together=True)
