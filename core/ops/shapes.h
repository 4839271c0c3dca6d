// Operations that return shapes.
#pragma once

#include "ops/op.h"

namespace ef::ops {

struct ShapeAttrs {
  DTypeIn<kIndexTypes> out_type = DType::kInt32;
};
extern const Op shape;  // input

}  // namespace ef::ops
