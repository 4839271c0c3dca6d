"""tf.contrib.training: hyperparameters."""

from eagerflow.contrib.training.hparams import HParams

__all__ = ["HParams"]
