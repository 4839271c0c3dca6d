// Shape and dtype inference shared by the elementwise operations.
#include "ops/elementwise_infer.h"

#include "ops/op_facts.h"
#include "tensor/error.h"

namespace ef::ops {

Shape broadcast_shape(const InferContext& c) {
  Shape shape;
  if (!broadcast_shapes(c.shape(0), c.shape(1), &shape)) {
    invalid_argument("Incompatible shapes: ", c.shape(0), " vs. ", c.shape(1),
                     " [Op:", tf_name(c.op()), "]");
  }
  return shape;
}

void binary_bool_infer(InferContext& c) {
  if (c.shape(0) == c.shape(1)) {
    c.add_output(DType::kBool, c.shape(0));
  } else {
    c.add_output(DType::kBool, broadcast_shape(c));
  }
}

[[gnu::hot]] void same_shape_infer(InferContext& c) {
  if (c.shape(0) == c.shape(1)) {
    c.add_output(c.dtype(0), c.shape(0));
    return;
  }
  if (!compatible(c.shape(0), c.shape(1))) {
    invalid_argument("Inputs to operation ", tf_name(c.op()),
                     " must have the same size and shape.  Input 0: ", c.shape(0),
                     " != input 1: ", c.shape(1), " [Op:", tf_name(c.op()), "]");
  }
  c.add_output(c.dtype(0), merged(c.shape(0), c.shape(1)));
}

DType real_dtype(DType type) {
  switch (type) {
    case DType::kComplex64: return DType::kFloat32;
    case DType::kComplex128: return DType::kFloat64;
    default: return type;
  }
}

}  // namespace ef::ops
