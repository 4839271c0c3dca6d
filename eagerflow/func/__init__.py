"""tf.func: functions of functions, such as their gradients; they compose to any depth."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
