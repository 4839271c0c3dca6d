// A gradient on a tape.
#pragma once

#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace ef {

// A dense gradient, or rows of a larger tensor (IndexedSlices).
struct Gradient {
  Tensor values;      // the dense gradient, or one row (slice along axis 0) per index
  Tensor indices;     // empty for a dense gradient; else rank 1, int32 or int64
  Shape dense_shape;  // of the larger tensor, for a sparse gradient
  explicit operator bool() const { return static_cast<bool>(values); }
  bool sparse() const { return static_cast<bool>(indices); }
};

}  // namespace ef
