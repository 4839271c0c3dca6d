// Kernels of softmax and of the losses on logits.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void softmax(KernelContext& context);
void log_softmax(KernelContext& context);
void softmax_grad(KernelContext& context);
void log_softmax_grad(KernelContext& context);
void softmax_cross_entropy(KernelContext& context);
void sparse_softmax_cross_entropy(KernelContext& context);
void sigmoid_cross_entropy(KernelContext& context);
void l2_loss(KernelContext& context);

}  // namespace ef::cpu
