"""The functions of `keras.ops.nn`."""

from eagerflow_compat.keras_backend.operations import operations

__getattr__, __dir__ = operations(__name__, "eagerflow.keras.ops.nn", "eagerflow.keras.ops")
