"""tf.contrib.stateless: random numbers that follow from seeds alone."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
