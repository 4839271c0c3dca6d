from eagerflow.keras.saving.api import (
    load_model as load_model,
    load_weights as load_weights,
    save_model as save_model,
    save_weights as save_weights,
)
from eagerflow.keras.saving.registration import (
    CustomObjectScope as CustomObjectScope,
    custom_object_scope as custom_object_scope,
    get_custom_objects as get_custom_objects,
    get_registered_name as get_registered_name,
    get_registered_object as get_registered_object,
    register_keras_serializable as register_keras_serializable,
)
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object as deserialize_keras_object,
    serialize_keras_object as serialize_keras_object,
)
