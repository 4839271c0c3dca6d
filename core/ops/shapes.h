// Operations that return shapes.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct ShapeAttrs {
  DTypeIn<kIndexTypes> out_type = DType::kInt32;
};
extern const Op shape;  // input

struct EnsureShapeAttrs {
  Ints shape;  // -1 accepts any size
};
extern const Op ensure_shape;  // input

}  // namespace ef::ops
