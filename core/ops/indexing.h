// Operations that pick or place elements by index, search and sort.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op gather;          // params, indices; axis, batch_dims
extern const Op gather_grad;     // dy, indices; shape of params, axis, batch_dims
extern const Op gather_nd;       // params, indices; batch_dims
extern const Op gather_nd_grad;  // dy, indices; shape of params, batch_dims

extern const Op scatter_nd;                // indices, updates; shape
extern const Op tensor_scatter_nd_update;  // tensor, indices, updates
extern const Op tensor_scatter_nd_add;
extern const Op tensor_scatter_nd_sub;
extern const Op tensor_scatter_nd_max;
extern const Op tensor_scatter_nd_min;

extern const Op unsorted_segment_sum;  // data, segment_ids; num_segments (negative ids are dropped)
extern const Op gather_or_zero;        // params, indices: rows; zeros for negative indices

extern const Op one_hot;             // indices, on_value, off_value; depth, axis
extern const Op where_indices;       // condition -> int64 [count, rank]
extern const Op searchsorted;        // sorted_sequence, values; side, output_type
extern const Op sort;                // values; axis, direction
extern const Op argsort;             // values; axis, direction -> int32
extern const Op top_k;               // input; k, sorted -> values, int32 indices
extern const Op unique_with_counts;  // x; out_idx -> y, idx, count

}  // namespace ef::ops
