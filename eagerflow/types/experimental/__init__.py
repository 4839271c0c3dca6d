"""tf.types.experimental: functions, their types, and how arguments say what they are."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
