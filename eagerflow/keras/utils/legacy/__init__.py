"""tf.keras.utils.legacy: serialization as before Keras 2.12."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
