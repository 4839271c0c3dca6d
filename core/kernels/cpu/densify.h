// Kernels that make dense tensors of rows of many lengths, of places with values, and of counts.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void pad_rows(KernelContext& context);
void unpad_rows(KernelContext& context);
void sparse_to_dense(KernelContext& context);
void count_integers(KernelContext& context);

}  // namespace ef::cpu
