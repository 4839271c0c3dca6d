// Kernels of the operations on images.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void resample(KernelContext& context);

}  // namespace ef::cpu
