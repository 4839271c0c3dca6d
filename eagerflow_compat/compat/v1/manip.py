"""tf.compat.v1.manip: tensors in other orders and shapes."""

from eagerflow import batch_to_space as batch_to_space_nd
from eagerflow import reshape, reverse, roll, scatter_nd, space_to_batch_nd, tile
from eagerflow_compat.v1.arithmetic import gather_nd

__all__ = [
    "batch_to_space_nd",
    "gather_nd",
    "reshape",
    "reverse",
    "roll",
    "scatter_nd",
    "space_to_batch_nd",
    "tile",
]
