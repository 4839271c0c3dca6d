"""tf.contrib.seq2seq: decoders that repeat a cell on what it said before, with attention."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
