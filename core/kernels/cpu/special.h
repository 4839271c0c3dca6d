// Kernels of special functions that are not loops over one or two operands.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void betainc(KernelContext& context);

}  // namespace ef::cpu
