"""tf.config.experimental: memory of devices, and settings that have one value here."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
