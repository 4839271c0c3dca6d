"""tf.contrib.tensorboard.plugins: the page of embeddings."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
