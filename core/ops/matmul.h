// Matrix products.
#pragma once

#include "ops/op.h"

namespace ef::ops {

struct MatmulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
  bool adjoint_a = false;
  bool adjoint_b = false;

  // Whether the last two axes of an operand are swapped.
  bool swaps_a() const { return transpose_a || adjoint_a; }
  bool swaps_b() const { return transpose_b || adjoint_b; }
};
extern const Op matmul;

}  // namespace ef::ops
