"""tf.distribute.experimental: strategies whose names begin there."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
