"""tensorflow.python.util.serialization: the JSON form of configurations."""

from eagerflow.keras.saving.json_config import json_default as get_json_type

__all__ = ["get_json_type"]
