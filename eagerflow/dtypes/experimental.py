"""tf.dtypes.experimental: element types of 8 bits and less, which are stored and converted."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
