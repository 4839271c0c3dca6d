// Resolves the attributes of a strided slice.
#pragma once

#include <cstdint>

#include "ops/array.h"
#include "tensor/inline_vector.h"
#include "tensor/shape.h"

namespace ef {

struct StridedSlice {
  // For each axis of the sliced tensor: the start, the step, and the number of elements.
  struct Axis {
    int64_t begin;
    int64_t stride;
    int64_t count;
  };
  InlineVector<Axis, kInlineRank> axes;
  Shape result;  // with new axes, without removed ones
};

// Throws InvalidArgument for indices out of bounds, too many indices, or steps of 0.
StridedSlice resolve_slice(const Shape& shape, const ops::StridedSliceAttrs& attrs);

// Throws InvalidArgument unless a value can be broadcast to the shape of a part.
void require_room(const Shape& value, const Shape& part);

}  // namespace ef
