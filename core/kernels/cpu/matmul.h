// Batches of matrix products.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void matmul(KernelContext& context);

}  // namespace ef::cpu
