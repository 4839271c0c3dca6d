// Kernels of the derivatives of determinants.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void cofactors(KernelContext& context);
void cofactors_grad(KernelContext& context);

}  // namespace ef::cpu
