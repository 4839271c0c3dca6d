"""tf.xla: what a compiler is told. Functions run as native graphs here, whatever it is told."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
