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
extern const Op qr_factors;  // input -> Q, R

struct EighAttrs {
  bool compute_v = true;  // otherwise there are no vectors: [0]
};
extern const Op eigh_factors;  // input -> values, vectors

struct LuAttrs {
  bool adjoint = false;
};
extern const Op lu_solve;            // matrix, rhs
extern const Op lu_inverse;          // input
extern const Op lu_factors;          // input -> L and U, order of rows
extern const Op lu_determinant;      // input
extern const Op lu_log_determinant;  // input -> signs, logarithms
extern const Op tridiagonal_solve;   // diagonals, rhs
extern const Op cofactors;           // input
extern const Op cofactors_grad;      // input, dy

extern const Op cholesky_factor;       // input
extern const Op cholesky_factor_grad;  // factor, dy

}  // namespace ef::ops
