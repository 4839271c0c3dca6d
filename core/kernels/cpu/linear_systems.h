// Kernels of linear systems, factors, inverses and determinants.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void triangle_solve(KernelContext& context);
void lu_solve(KernelContext& context);
void lu_factors(KernelContext& context);
void tridiagonal_solve(KernelContext& context);
void lu_inverse(KernelContext& context);
void lu_determinant(KernelContext& context);
void lu_log_determinant(KernelContext& context);

}  // namespace ef::cpu
