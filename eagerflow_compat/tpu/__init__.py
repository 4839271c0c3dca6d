"""tf.tpu: what programs for TPUs name. Embedding tables are looked up on processors here."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
