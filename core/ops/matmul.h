// Matrix products.
#pragma once

#include <optional>

#include "ops/attrs.h"
#include "tensor/tensor.h"

namespace ef::ops {

struct MatmulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
  bool adjoint_a = false;
  bool adjoint_b = false;
  // Hints of TensorFlow's function that do not change the result, and are not read.
  bool a_is_sparse = false;
  bool b_is_sparse = false;
  std::optional<DType> output_type = {};  // None: the dtype of the operands
  bool grad_a = false;
  bool grad_b = false;

  // Whether the last two axes of an operand are swapped.
  bool swaps_a() const { return transpose_a || adjoint_a; }
  bool swaps_b() const { return transpose_b || adjoint_b; }
};
extern const Op matmul;
extern const Op int8_matmul;  // x, kernel, scale

// aᴴ b, for matrices [rows, m] and [rows, n].
Tensor adjoint_product(const Tensor& a, const Tensor& b);

}  // namespace ef::ops
