// Kernels that return shapes.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void shape(KernelContext& context);
// The input under a new identity.
void same(KernelContext& context);

}  // namespace ef::cpu
