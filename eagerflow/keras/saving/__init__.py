"""tf.keras.saving: registered objects, and their configurations as plain dictionaries."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
