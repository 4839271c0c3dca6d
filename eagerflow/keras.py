"""tf.keras: so far the optimizers."""

from eagerflow import optimizers

__all__ = ["optimizers"]
