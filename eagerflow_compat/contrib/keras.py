"""tf.contrib.keras: Keras, where it was before version 1.4."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.compat.v1.keras")
