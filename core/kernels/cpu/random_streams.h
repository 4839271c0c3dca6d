// Kernels that draw by rejection, each sample from its own stream.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void philox_gamma(KernelContext& context);
void philox_poisson(KernelContext& context);
void philox_binomial(KernelContext& context);

}  // namespace ef::cpu
