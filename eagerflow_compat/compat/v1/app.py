"""tf.compat.v1.app: running a program's main function."""

from eagerflow_compat.compat.v1 import flags
from eagerflow_compat.v1.app import run

__all__ = ["flags", "run"]
