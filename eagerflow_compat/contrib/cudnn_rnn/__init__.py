"""tf.contrib.cudnn_rnn: networks of several layers and both directions, on the engine's kernels."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
