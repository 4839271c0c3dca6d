"""tf.keras.utils: what programs need around layers and models."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
