// Linear systems, factors, inverses and determinants.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct TriangleSolveAttrs {
  bool lower = true;
  bool adjoint = false;
};
extern const Op triangle_solve;  // matrix, rhs

struct QrAttrs {
  bool full_matrices = false;
};
extern const Op qr_factors;    // input
extern const Op eigh_factors;  // input

struct LuAttrs {
  bool adjoint = false;
};
extern const Op lu_solve;    // matrix, rhs
extern const Op lu_inverse;  // input

}  // namespace ef::ops
