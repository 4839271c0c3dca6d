"""tf.contrib.summary: summaries of eager programs of TensorFlow 1."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
