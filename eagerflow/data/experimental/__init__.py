"""tf.data.experimental: further sources and transformations, and older spellings."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
