"""tf.summary: values of a training run for TensorBoard."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
