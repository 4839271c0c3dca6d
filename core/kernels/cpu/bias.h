// Kernels that add a vector along the channels, and sum over everything else.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

extern const Kernel bias_add;

void bias_add_grad(KernelContext& context);

}  // namespace ef::cpu
