"""The functions of `keras.ops.linalg`."""

from eagerflow_compat.keras_backend.operations import operations

__getattr__, __dir__ = operations(__name__, "eagerflow.keras.ops.linalg", "eagerflow.keras.ops")
