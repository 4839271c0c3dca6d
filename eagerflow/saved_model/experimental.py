"""tf.saved_model.experimental: the base of objects that hold resources."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
