"""tf.keras.preprocessing: data in the form that models take, as older programs prepare it."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
