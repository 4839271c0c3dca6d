"""tf.ragged: making and changing ragged tensors."""

from eagerflow.ops.ragged.arrangement import (
    stack,
)
from eagerflow.ops.ragged.construction import (
    boolean_mask,
    constant,
    map_flat_values,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
    stack_dynamic_partitions,
)
from eagerflow.ops.ragged.construction import (
    ragged_range as range,
)
from eagerflow.ops.sparse.crossing import (
    ragged_cross as cross,
)
from eagerflow.ops.sparse.crossing import (
    ragged_cross_hashed as cross_hashed,
)

__all__ = [
    "boolean_mask",
    "constant",
    "cross",
    "cross_hashed",
    "map_flat_values",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]
