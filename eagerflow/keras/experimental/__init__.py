"""tf.keras.experimental: models of linear parts, and schedules under their older names."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
