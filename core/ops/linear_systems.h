// Linear systems, factors, inverses and determinants.
#pragma once

#include "ops/op.h"

namespace ef::ops {

struct TriangleSolveAttrs {
  bool lower = true;
  bool adjoint = false;
};
extern const Op triangle_solve;  // matrix, rhs

struct LuAttrs {
  bool adjoint = false;
};
extern const Op lu_solve;    // matrix, rhs
extern const Op lu_inverse;  // input

}  // namespace ef::ops
