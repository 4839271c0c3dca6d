// Gradients of solutions, factors, inverses and determinants of matrices. They are composed of
// operations with gradients, so that they can be differentiated again.
#pragma once

#include "ops/gradient_context.h"

namespace ef::ops {

void triangle_solve_gradient(GradContext& g);
void lu_solve_gradient(GradContext& g);
void lu_inverse_gradient(GradContext& g);
void lu_factors_gradient(GradContext& g);
void lu_determinant_gradient(GradContext& g);
void lu_log_determinant_gradient(GradContext& g);
void cofactors_gradient(GradContext& g);
void cofactors_grad_gradient(GradContext& g);
void cholesky_factor_gradient(GradContext& g);
void cholesky_factor_grad_gradient(GradContext& g);
void qr_factors_gradient(GradContext& g);
void eigh_factors_gradient(GradContext& g);
void tridiagonal_solve_gradient(GradContext& g);

}  // namespace ef::ops
