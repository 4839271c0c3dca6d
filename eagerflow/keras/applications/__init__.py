"""tf.keras.applications: well-known networks for images."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
