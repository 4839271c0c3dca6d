"""tf.keras.experimental: linear models, and deprecated names of schedules."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
