"""tf.contrib.data: transformations of datasets."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
