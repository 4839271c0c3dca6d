// Kernels of batch and layer normalisation.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void batch_norm(KernelContext& context);
void batch_norm_grad(KernelContext& context);
void batch_norm_inference(KernelContext& context);
void layer_norm(KernelContext& context);
void layer_norm_grad(KernelContext& context);

}  // namespace ef::cpu
