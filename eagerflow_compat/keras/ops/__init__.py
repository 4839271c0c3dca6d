"""keras.ops: Keras 3's operations, with NumPy's names and Keras's dtypes."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
