"""tf.contrib.signal: the functions of tf.signal."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.signal")
