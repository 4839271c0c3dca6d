"""tf.keras.models.experimental: models with special training steps."""

from eagerflow.keras.experimental.sharpness import SharpnessAwareMinimization

__all__ = ["SharpnessAwareMinimization"]
