"""tf.tpu.experimental: embedding tables, by the names that they have on TPUs."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
