"""tf.contrib.checkpoint: objects that checkpoints save."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
