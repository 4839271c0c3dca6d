// Kernels of Cholesky factors and their gradients.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void cholesky_factor(KernelContext& context);
void cholesky_factor_grad(KernelContext& context);

}  // namespace ef::cpu
