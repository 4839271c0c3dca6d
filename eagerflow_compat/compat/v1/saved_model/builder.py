"""tf.compat.v1.saved_model.builder."""

from eagerflow_compat.v1.saved_models import SavedModelBuilder

__all__ = ["SavedModelBuilder"]
