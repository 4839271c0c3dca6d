"""tf.keras.utils: tools for programs with layers and models."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
