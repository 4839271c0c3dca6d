"""tf.contrib: what of it eager programs used."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
