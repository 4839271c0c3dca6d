// Kernels of the Schur decomposition, and roots of triangular matrices.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void schur(KernelContext& context);
void triangle_root(KernelContext& context);

}  // namespace ef::cpu
