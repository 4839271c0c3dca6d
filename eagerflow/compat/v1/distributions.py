"""tf.compat.v1.distributions: random variables."""

from eagerflow.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.v1.distributions")
