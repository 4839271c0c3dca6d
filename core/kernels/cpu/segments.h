// Kernels that reduce the rows of segments.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void unsorted_segment_max(KernelContext& context);
void unsorted_segment_min(KernelContext& context);
void unsorted_segment_prod(KernelContext& context);
void segment_sum(KernelContext& context);
void segment_mean(KernelContext& context);
void segment_max(KernelContext& context);
void segment_min(KernelContext& context);
void segment_prod(KernelContext& context);
void sparse_segment_sum(KernelContext& context);

}  // namespace ef::cpu
