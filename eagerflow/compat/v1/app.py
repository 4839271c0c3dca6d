"""tf.compat.v1.app: running a program's main function."""

from eagerflow.compat.v1 import flags
from eagerflow.v1.app import run

__all__ = ["flags", "run"]
