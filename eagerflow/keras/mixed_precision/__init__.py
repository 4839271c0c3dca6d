"""tf.keras.mixed_precision: the dtypes of layers' computations and weights."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
