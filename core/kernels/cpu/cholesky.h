// Cholesky factors of small matrices.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void cholesky_factor(KernelContext& context);
void cholesky_factor_grad(KernelContext& context);

}  // namespace ef::cpu
