"""tf.keras.applications: known networks for images."""

from eagerflow import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
