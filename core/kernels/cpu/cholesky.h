// Cholesky factors of small matrices.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void cholesky_factor(KernelContext& context);

}  // namespace ef::cpu
