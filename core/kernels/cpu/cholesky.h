// Kernels of Cholesky factors and their gradients.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void cholesky_factor(KernelContext& context);
void cholesky_factor_grad(KernelContext& context);

}  // namespace ef::cpu
