"""tf.contrib.legacy_seq2seq: encoders and decoders of sequences of fixed lengths, as lists of steps."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
