"""tf.keras: layers, models and their training, as in Keras 2."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
