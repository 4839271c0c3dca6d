"""tf.contrib.framework: structures, the global step and variables."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
