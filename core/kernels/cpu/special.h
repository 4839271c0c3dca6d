// Kernels of special functions that are no loop over one or two operands.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void betainc(KernelContext& context);

}  // namespace ef::cpu
