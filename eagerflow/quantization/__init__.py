"""tf.quantization: rounding to as few values as quantized numbers have."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, together=True)
