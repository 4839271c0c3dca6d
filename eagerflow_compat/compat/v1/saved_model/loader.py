"""tf.compat.v1.saved_model.loader."""

from eagerflow_compat.v1.saved_models import load, maybe_saved_model_directory

__all__ = ["load", "maybe_saved_model_directory"]
