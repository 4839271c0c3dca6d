"""tf.profiler: where a program's time goes."""

from eagerflow.profiler import experimental

__all__ = ["experimental"]
