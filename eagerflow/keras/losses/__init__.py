"""tf.keras.losses: the functions that training minimizes."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
