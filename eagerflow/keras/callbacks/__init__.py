"""tf.keras.callbacks: what is called while a model is trained."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
