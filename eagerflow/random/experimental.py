"""tf.random.experimental: older names of generators, and stateless helpers."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
