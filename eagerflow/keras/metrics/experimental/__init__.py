"""tf.keras.metrics.experimental: metrics that may still change."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
