// Shape and dtype inference and gradient helpers shared by the elementwise operations.
#pragma once

#include "ops/compose.h"
#include "ops/gradient_context.h"
#include "ops/infer_context.h"

namespace ef::ops {

[[gnu::hot]] inline void unary_infer(InferContext& c) { c.add_output(c.dtype(0), c.shape(0)); }
inline void unary_bool_infer(InferContext& c) { c.add_output(DType::kBool, c.shape(0)); }

// The broadcast of the first two inputs; throws if there is none.
Shape broadcast_shape(const InferContext& c);

[[gnu::hot]] inline void binary_infer(InferContext& c) {
  if (c.shape(0) == c.shape(1)) {
    c.add_output(c.dtype(0), c.shape(0));
  } else {
    c.add_output(c.dtype(0), broadcast_shape(c));
  }
}
void binary_bool_infer(InferContext& c);

// For gradients: both inputs have one shape, which is the output's.
void same_shape_infer(InferContext& c);

// The float or double of a complex dtype; other dtypes are returned unchanged.
DType real_dtype(DType type);

// The tensors that a gradient reads: none, the only input, or the only output.
inline constexpr Need kNothing{0, 0};
inline constexpr Need kInput{1, 0};
inline constexpr Need kOutput{0, 1};
inline constexpr Need kBothInputs{3, 0};

// Sets a gradient of a broadcast operation, summed to the shape of input i.
inline void set_summed(GradContext& g, int i, const Tensor& gradient) {
  g.set(i, sum_to_shape(gradient, g.input_shape(i)));
}

}  // namespace ef::ops
