// Kernels that gather, scatter, search and sort.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void gather(KernelContext& context);
void gather_grad(KernelContext& context);
// Adds the gradient of gather or gather_nd to the elements of `whole` that were gathered.
void add_gathered(const Tensor& whole, const Tensor& dy, const Tensor& indices, int64_t axis,
                  int64_t batch_dims);
void add_gathered_nd(const Tensor& whole, const Tensor& dy, const Tensor& indices,
                     int64_t batch_dims);
void gather_or_zero(KernelContext& context);
void gather_nd(KernelContext& context);
void gather_nd_grad(KernelContext& context);
void scatter_nd(KernelContext& context);
void tensor_scatter_nd_update(KernelContext& context);
void tensor_scatter_nd_add(KernelContext& context);
void tensor_scatter_nd_sub(KernelContext& context);
void tensor_scatter_nd_max(KernelContext& context);
void tensor_scatter_nd_min(KernelContext& context);
void unsorted_segment_sum(KernelContext& context);
void one_hot(KernelContext& context);
void where_indices(KernelContext& context);

void searchsorted(KernelContext& context);
void sort(KernelContext& context);
void argsort(KernelContext& context);
void top_k(KernelContext& context);
void unique_with_counts(KernelContext& context);

}  // namespace ef::cpu
