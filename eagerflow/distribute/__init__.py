"""tf.distribute: strategies over devices and processes."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
