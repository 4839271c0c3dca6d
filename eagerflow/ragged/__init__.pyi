from eagerflow.ragged.arrangement import stack as stack
from eagerflow.ragged.construction import (
    boolean_mask as boolean_mask,
    constant as constant,
    map_flat_values as map_flat_values,
    row_splits_to_segment_ids as row_splits_to_segment_ids,
    segment_ids_to_row_splits as segment_ids_to_row_splits,
    stack_dynamic_partitions as stack_dynamic_partitions,
)
from eagerflow.ragged.construction import ragged_range
from eagerflow.sparse.crossing import ragged_cross
from eagerflow.sparse.crossing import ragged_cross_hashed

range = ragged_range
cross = ragged_cross
cross_hashed = ragged_cross_hashed
