"""tf.saved_model: folders with the objects of a program and their variables."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
