// Reductions of the rows that belong to the same segment.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op unsorted_segment_max;  // data, segment_ids; num_segments
extern const Op unsorted_segment_min;
extern const Op unsorted_segment_prod;
extern const Op segment_sum;  // data, segment_ids (ascending)
extern const Op segment_mean;
extern const Op segment_max;
extern const Op segment_min;
extern const Op segment_prod;
extern const Op sparse_segment_sum;  // data, indices, segment_ids; num_segments, scale

}  // namespace ef::ops
