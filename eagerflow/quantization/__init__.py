"""tf.quantization: rounding to the values of quantized dtypes."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, together=True)
