"""The functions of `keras.ops` for segments, sequences and signals."""

from eagerflow_compat.keras_backend.operations import operations

__getattr__, __dir__ = operations(__name__, "eagerflow.keras.ops")
