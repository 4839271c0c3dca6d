"""tf.compat.v1.experimental: what may change."""

from eagerflow.v1.mirror import mirror
from eagerflow.v1.switches import output_all_intermediates

__getattr__, __dir__ = mirror(__name__, "eagerflow.experimental")
