"""tf.compat.v1.saved_model.utils."""

from eagerflow_compat.v1.signature_defs import build_tensor_info, get_tensor_from_tensor_info

__all__ = ["build_tensor_info", "get_tensor_from_tensor_info"]
