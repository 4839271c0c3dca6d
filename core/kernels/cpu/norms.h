// Kernels of euclidean norms.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void scaled_norm(KernelContext& context);

}  // namespace ef::cpu
