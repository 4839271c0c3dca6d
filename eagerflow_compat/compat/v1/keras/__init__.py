"""tf.compat.v1.keras: Keras, with what only version 1 had."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.keras")
