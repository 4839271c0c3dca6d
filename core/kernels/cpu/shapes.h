// Kernels that return shapes.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void shape(KernelContext& context);
// Returns the input as a tensor with its own identity.
void same(KernelContext& context);

}  // namespace ef::cpu
