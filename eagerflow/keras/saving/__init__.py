"""tf.keras.saving: registered objects, and their configurations as plain dictionaries."""

from eagerflow.keras.saving.api import load_model, load_weights, save_model, save_weights
from eagerflow.keras.saving.registration import (
    CustomObjectScope,
    custom_object_scope,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
)
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)

__all__ = [
    "CustomObjectScope",
    "custom_object_scope",
    "deserialize_keras_object",
    "get_custom_objects",
    "get_registered_name",
    "get_registered_object",
    "load_model",
    "load_weights",
    "register_keras_serializable",
    "save_model",
    "save_weights",
    "serialize_keras_object",
]
