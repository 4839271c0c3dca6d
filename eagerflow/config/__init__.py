"""tf.config: what the machine offers, and how the engine uses it."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
