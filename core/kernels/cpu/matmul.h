// Batches of matrix products.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void matmul(KernelContext& context);

}  // namespace ef::cpu
