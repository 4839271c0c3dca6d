"""tf.compat.v1.sets: sets along the last axis, with version 1's names too."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.sets",
    renamed={
        f"set_{name}": f"sets.{name}" for name in ("difference", "intersection", "size", "union")
    },
)
