"""tf.bitwise: operations on the bits of integers."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, together=True)
