// Rows partitioned among tensors, stitched together again, and reordered.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct PartitionAttrs {
  int64_t num_partitions;
};
extern const Op dynamic_partition;  // data, partitions
extern const Op partition_order;    // partitions -> the new index of each row
extern const Op stitch_rows;        // indices, rows

struct ReverseSequenceAttrs {
  int64_t seq_axis;
  int64_t batch_axis = 0;
};
extern const Op reverse_sequence;  // input, seq_lengths
extern const Op invert_permutation;

struct InTopKAttrs {
  int64_t k;
};
extern const Op in_top_k;           // predictions, targets
extern const Op gather_or_default;  // params, indices, default_value

}  // namespace ef::ops
