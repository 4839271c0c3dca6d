"""tf.types.experimental.distributed: values that a strategy keeps for each of its devices."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
