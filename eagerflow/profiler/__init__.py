"""tf.profiler: where a program's time goes."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
