"""tf.contrib.memory_stats: how much memory operations use."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
