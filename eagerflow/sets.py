"""tf.sets: sets along the last axis."""

from eagerflow.ops.sets import (
    difference,
    intersection,
    size,
    union,
)

__all__ = [
    "difference",
    "intersection",
    "size",
    "union",
]
