// Rows distributed over tensors, put together again, and put in another order.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op dynamic_partition;  // data, partitions; num_partitions
extern const Op partition_order;    // partitions; num_partitions -> where each row goes
extern const Op stitch_rows;        // indices, rows
extern const Op reverse_sequence;   // input, seq_lengths; seq_axis, batch_axis
extern const Op invert_permutation;
extern const Op in_top_k;           // predictions, targets; k
extern const Op gather_or_default;  // params, indices, default_value

}  // namespace ef::ops
