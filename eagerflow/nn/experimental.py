"""tf.nn.experimental: dropout with random numbers of one's own."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
