"""tf.contrib.crf: linear-chain conditional random fields over sequences of tags."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
