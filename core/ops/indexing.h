// Operations that gather or scatter by index, search and sort.
#pragma once

#include "ops/attrs.h"
#include "tensor/tensor.h"

namespace ef::ops {

struct GatherAttrs {
  int64_t axis = 0;
  int64_t batch_dims = 0;
};
extern const Op gather;  // params, indices

struct GatherGradAttrs {
  Ints shape;  // of params
  GatherAttrs gather;
};
extern const Op gather_grad;  // dy, indices

struct GatherNdAttrs {
  int64_t batch_dims = 0;
};
extern const Op gather_nd;  // params, indices

struct GatherNdGradAttrs {
  Ints shape;  // of params
  GatherNdAttrs gather;
};
extern const Op gather_nd_grad;  // dy, indices

// Whether the gradient of gather or gather_nd, whose attributes these are, consists of rows at the
// indices.
bool gathers_rows(AttrsRef gather, const Shape& params, const Shape& indices);

// Calls `f` with the gradient of gather or gather_nd, whose attributes these are. The type of the
// gradient's attributes is the template argument.
template <class F>
void with_gradient_of_gather(AttrsRef gather, F&& f) {
  if (gather.is<GatherAttrs>()) {
    f.template operator()<GatherGradAttrs>(gather_grad, gather.as<GatherAttrs>());
  } else {
    f.template operator()<GatherNdGradAttrs>(gather_nd_grad, gather.as<GatherNdAttrs>());
  }
}

struct ScatterNdAttrs {
  Ints shape;
};
extern const Op scatter_nd;                // indices, updates
extern const Op tensor_scatter_nd_update;  // tensor, indices, updates
extern const Op tensor_scatter_nd_add;
extern const Op tensor_scatter_nd_sub;
extern const Op tensor_scatter_nd_max;
extern const Op tensor_scatter_nd_min;

struct UnsortedSegmentAttrs {
  int64_t num_segments;
};
extern const Op unsorted_segment_sum;  // data, segment_ids (negative ids are dropped)
extern const Op gather_or_zero;        // params, indices: rows; zeros for negative indices

struct OneHotAttrs {
  int64_t depth;
  int64_t axis = -1;
};
extern const Op one_hot;  // indices, on_value, off_value

extern const Op where_indices;  // condition -> int64 [count, rank]

enum class SearchSide : uint8_t { kLeft, kRight };
constexpr const char* words_of(SearchSide) { return "left|right"; }

struct SearchSortedAttrs {
  SearchSide side = SearchSide::kLeft;
  DType output_type = DType::kInt32;
};
extern const Op searchsorted;  // sorted_sequence, values

enum class SortDirection : uint8_t { kAscending, kDescending };
constexpr const char* words_of(SortDirection) { return "ASCENDING|DESCENDING"; }

struct SortAttrs {
  int64_t axis = -1;
  SortDirection direction = SortDirection::kAscending;
};
extern const Op sort;     // values
extern const Op argsort;  // values -> int32

struct TopKAttrs {
  int64_t k = 1;
  bool sorted = true;
};
extern const Op top_k;  // input -> values, int32 indices

struct UniqueAttrs {
  DType out_idx = DType::kInt32;
};
extern const Op unique_with_counts;  // x -> y, idx, count

// The slices, with zeros where a later slice has the same row of indices into `outer`: the gradient
// of updates of which the last one wins.
Tensor only_last(const Tensor& slices, const Tensor& indices, const Shape& outer);

}  // namespace ef::ops
