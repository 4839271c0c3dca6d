"""tf.experimental.extension_type: functions of values of extension types."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
