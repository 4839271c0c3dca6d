"""tf.contrib.metrics: averages over many batches, with predictions before labels."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
