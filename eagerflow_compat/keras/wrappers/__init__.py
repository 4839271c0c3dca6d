"""tf.keras.wrappers: models for other libraries."""

from eagerflow_compat.keras.wrappers import scikit_learn

__all__ = ["scikit_learn"]
