"""tf.contrib.tensorboard: settings of TensorBoard's pages."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
