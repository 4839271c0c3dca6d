"""tf.compat.v1.distributions: random variables."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow_compat.v1.distributions")
