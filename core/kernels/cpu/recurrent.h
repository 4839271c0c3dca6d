// Kernels of recurrent layers over whole sequences.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void lstm(KernelContext& context);
void lstm_grad(KernelContext& context);
void gru(KernelContext& context);
void gru_grad(KernelContext& context);
void simple_rnn(KernelContext& context);
void simple_rnn_grad(KernelContext& context);

}  // namespace ef::cpu
