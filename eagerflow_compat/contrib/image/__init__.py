"""tf.contrib.image: images that are turned, moved and transformed."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
