// Kernels of euclidean norms.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void scaled_norm(KernelContext& context);

}  // namespace ef::cpu
