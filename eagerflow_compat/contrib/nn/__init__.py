"""tf.contrib.nn: operations that came later to `tf.nn`, or never."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
