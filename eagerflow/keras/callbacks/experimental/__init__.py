"""tf.keras.callbacks.experimental: callbacks under the names they had first."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
