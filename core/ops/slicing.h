// What a strided slice selects, worked out from its attributes.
#pragma once

#include <cstdint>

#include "ops/attrs.h"
#include "tensor/shape.h"

namespace ef {

struct StridedSlice {
  // Of each of the sliced tensor's: where to start, the step, and how many elements.
  struct Axis {
    int64_t begin;
    int64_t stride;
    int64_t count;
  };
  InlineVector<Axis, kInlineRank> axes;
  Shape result;  // without shrunk axes, with new ones
};

// Reads begin, end, strides and the five masks from the `first`-th attribute on. Throws
// InvalidArgument for indices out of bounds, too many indices, or steps of 0.
StridedSlice resolve_slice(const Shape& shape, const Attrs& attrs, int first);

}  // namespace ef
