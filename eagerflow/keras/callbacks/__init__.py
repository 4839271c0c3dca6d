"""tf.keras.callbacks: what is called while a model is trained."""

from eagerflow import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
