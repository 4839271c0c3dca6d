"""tensorflow.python.ops.init_ops and init_ops_v2: what initializers count."""

from eagerflow.keras.initializers import Initializer
from eagerflow.keras.initializers import compute_fans as _compute_fans

__all__ = ["Initializer", "_compute_fans"]
