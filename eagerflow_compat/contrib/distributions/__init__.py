"""tf.contrib.distributions: random variables."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
