"""tf.compat: names of other versions of TensorFlow, and helpers for old and new Python strings."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
