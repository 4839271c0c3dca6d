"""tf.compat.v1.saved_model.main_op: operations that loaders run."""

from eagerflow_compat.v1.saved_models import main_op, main_op_with_restore

__all__ = ["main_op", "main_op_with_restore"]
