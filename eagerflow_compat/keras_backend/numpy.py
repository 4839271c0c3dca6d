"""The functions of `keras.ops` that NumPy has, too."""

from eagerflow_compat.keras_backend.operations import operations

__getattr__, __dir__ = operations(__name__, "eagerflow.keras.ops")
