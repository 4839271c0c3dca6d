"""tf.random: random numbers, from TensorFlow's own streams."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
