"""tf.autograph: Python's control flow as operations, in functions that are traced."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
