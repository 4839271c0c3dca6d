"""tf.keras.preprocessing: deprecated preprocessing of images, sequences and texts."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
