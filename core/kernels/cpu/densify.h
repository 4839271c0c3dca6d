// Kernels that pad ragged rows, make sparse tensors dense, and count integers.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void pad_rows(KernelContext& context);
void unpad_rows(KernelContext& context);
void sparse_to_dense(KernelContext& context);
void count_integers(KernelContext& context);

}  // namespace ef::cpu
