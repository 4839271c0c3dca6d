"""tf.keras.backend: defaults and names."""

from eagerflow.keras.config import (
    epsilon,
    floatx,
    image_data_format,
    set_epsilon,
    set_floatx,
    set_image_data_format,
)
from eagerflow.keras.engine.call_context import learning_phase, set_learning_phase
from eagerflow.keras.engine.keras_tensor import is_keras_tensor
from eagerflow.keras.naming import get_uid, reset_uids

__all__ = [
    "epsilon",
    "floatx",
    "get_uid",
    "image_data_format",
    "is_keras_tensor",
    "learning_phase",
    "reset_uids",
    "set_epsilon",
    "set_floatx",
    "set_image_data_format",
    "set_learning_phase",
]
