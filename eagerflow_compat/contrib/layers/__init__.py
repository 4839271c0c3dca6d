"""tf.contrib.layers: layers as functions, initializers and regularizers under their first names."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
