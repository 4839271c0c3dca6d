"""tf.compat.v1.saved_model.tag_constants: what a graph is for."""

from eagerflow.saved_model.constants import GPU, SERVING, TPU, TRAINING

__all__ = ["GPU", "SERVING", "TPU", "TRAINING"]
