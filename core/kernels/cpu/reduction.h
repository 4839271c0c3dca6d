// Kernels of reductions, argmax and argmin, and cumulative sums and products.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void reduce_sum(KernelContext& context);
void reduce_mean(KernelContext& context);
void reduce_prod(KernelContext& context);
void reduce_max(KernelContext& context);
void reduce_min(KernelContext& context);
void reduce_all(KernelContext& context);
void reduce_any(KernelContext& context);
void argmax(KernelContext& context);
void argmin(KernelContext& context);
void cumsum(KernelContext& context);
void cumprod(KernelContext& context);
void linear_scan(KernelContext& context);

// The axes that a reduction over `axis` removes; all if it is absent.
void reduced_axes(const std::optional<Ints>& axis, int rank, bool* reduced, const char* op);

}  // namespace ef::cpu
