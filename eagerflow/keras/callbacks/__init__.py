"""tf.keras.callbacks: objects with methods that training calls."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
