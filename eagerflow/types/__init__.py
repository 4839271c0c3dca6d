"""tf.types: classes for annotations and for programs that look at functions."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
