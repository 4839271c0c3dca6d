// Kernels that return shapes.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void shape(KernelContext& context);

}  // namespace ef::cpu
