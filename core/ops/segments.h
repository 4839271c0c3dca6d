// Reductions of the rows that belong to the same segment.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

// data, segment_ids; the attributes are those of unsorted_segment_sum.
extern const Op unsorted_segment_max;
extern const Op unsorted_segment_min;
extern const Op unsorted_segment_prod;
extern const Op segment_sum;  // data, segment_ids (ascending)
extern const Op segment_mean;
extern const Op segment_max;
extern const Op segment_min;
extern const Op segment_prod;

enum class SegmentScale : uint8_t { kSum, kMean, kSqrtN };
constexpr const char* words_of(SegmentScale) { return "sum|mean|sqrt_n"; }

struct SparseSegmentAttrs {
  std::optional<int64_t> num_segments = {};  // None: one more than the last id
  SegmentScale scale = SegmentScale::kSum;
};
extern const Op sparse_segment_sum;  // data, indices, segment_ids

}  // namespace ef::ops
