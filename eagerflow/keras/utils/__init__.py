"""tf.keras.utils: what programs need around layers and models."""

from eagerflow import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
