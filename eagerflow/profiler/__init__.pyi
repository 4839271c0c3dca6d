"""tf.profiler: where a program's time goes."""

from eagerflow.profiler import experimental as experimental
