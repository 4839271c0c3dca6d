// What a strided slice selects, worked out from its attributes.
#pragma once

#include <cstdint>

#include "ops/attrs.h"
#include "tensor/shape.h"

namespace ef {

// For each axis of the sliced tensor: where to start, the step, and how many elements.
struct StridedSlice {
  int64_t begin[kMaxRank];
  int64_t stride[kMaxRank];
  int64_t count[kMaxRank];
  Shape result;  // without shrunk axes, with new ones
};

// Reads begin, end, strides and the five masks from the `first`-th attribute on. Throws
// InvalidArgument for indices out of bounds, too many indices, or steps of 0.
StridedSlice resolve_slice(const Shape& shape, const Attrs& attrs, int first);

}  // namespace ef
