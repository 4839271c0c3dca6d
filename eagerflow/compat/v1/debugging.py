"""tf.compat.v1.debugging: checks, and tests of values that are in `tf.math` today."""

from eagerflow.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.debugging",
    renamed={
        name: f"math.{name}"
        for name in "is_finite is_inf is_nan is_non_decreasing is_strictly_increasing".split()
    },
)
