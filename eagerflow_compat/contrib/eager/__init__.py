"""tf.contrib.eager: eager execution as it was in TensorFlow 1.5 to 1.15."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
