"""tf.contrib.opt: optimizers that `tf.train` of TensorFlow 1 has not."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
