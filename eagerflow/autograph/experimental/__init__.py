"""tf.autograph.experimental: what a program tells the conversion."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
