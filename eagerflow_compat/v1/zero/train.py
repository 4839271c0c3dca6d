"""tf.train before version 1.0."""

from eagerflow_compat.v1.zero.renaming import attach as _attach

_NAMES = {"SummaryWriter": "summary.FileWriter"}

__all__ = list(_NAMES)
__getattr__ = _attach("tensorflow.train", _NAMES)
