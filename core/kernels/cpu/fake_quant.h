// Kernels of fake quantization.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void fake_quant_limits(KernelContext& context);
void fake_quant(KernelContext& context);
void fake_quant_grad(KernelContext& context);

}  // namespace ef::cpu
