"""tf.keras.models.experimental: models with other ways of training."""

from eagerflow.keras.experimental.sharpness import SharpnessAwareMinimization

__all__ = ["SharpnessAwareMinimization"]
