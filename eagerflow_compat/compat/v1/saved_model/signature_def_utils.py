"""tf.compat.v1.saved_model.signature_def_utils."""

from eagerflow_compat.v1.saved_models import MethodNameUpdater
from eagerflow_compat.v1.signature_defs import (
    build_signature_def,
    classification_signature_def,
    is_valid_signature,
    predict_signature_def,
    regression_signature_def,
)

__all__ = [
    "MethodNameUpdater",
    "build_signature_def",
    "classification_signature_def",
    "is_valid_signature",
    "predict_signature_def",
    "regression_signature_def",
]
