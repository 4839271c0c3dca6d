"""tf.contrib: the parts that eager programs used."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
