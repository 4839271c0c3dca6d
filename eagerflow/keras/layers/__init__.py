"""tf.keras.layers: the layers that models are made of."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
