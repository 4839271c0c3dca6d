"""tf.tpu.experimental.embedding: tables of embeddings, their features, optimizers and look-ups."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)
