"""tf.contrib.learn.preprocessing: words and categories as numbers."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
