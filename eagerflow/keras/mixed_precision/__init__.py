"""tf.keras.mixed_precision: which dtypes layers compute in and keep their weights in."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
