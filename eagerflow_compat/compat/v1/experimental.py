"""tf.compat.v1.experimental: what may change."""

from eagerflow.compat.switches import output_all_intermediates
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.experimental")
