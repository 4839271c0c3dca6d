// Kernels of two-dimensional pooling.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void max_pool(KernelContext& context);
void max_pool_grad(KernelContext& context);
void max_pool_grad_grad(KernelContext& context);
void max_pool_places(KernelContext& context);
void max_pool_winners(KernelContext& context);
void spread_to_winners(KernelContext& context);
void pick_winners(KernelContext& context);
void avg_pool(KernelContext& context);
void avg_pool_grad(KernelContext& context);

}  // namespace ef::cpu
