"""tf.contrib.resampler: images at points between their pixels."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
