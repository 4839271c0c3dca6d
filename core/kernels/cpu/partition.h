// Kernels that move rows between tensors.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void dynamic_partition(KernelContext& context);
void partition_order(KernelContext& context);
void stitch_rows(KernelContext& context);
void reverse_sequence(KernelContext& context);
void invert_permutation(KernelContext& context);
void in_top_k(KernelContext& context);
void gather_or_default(KernelContext& context);

}  // namespace ef::cpu
