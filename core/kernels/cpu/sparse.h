// Kernels of sparse tensors.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void sparse_order(KernelContext& context);
void sparse_union(KernelContext& context);
void sparse_intersection(KernelContext& context);
void sparse_multiply(KernelContext& context);
void sparse_sum(KernelContext& context);
void sparse_flat_places(KernelContext& context);
void sparse_slice_places(KernelContext& context);
void sparse_reshape_places(KernelContext& context);
void sparse_fill_rows(KernelContext& context);
void sparse_layout(KernelContext& context);
void sparse_matmul(KernelContext& context);
void sparse_dots(KernelContext& context);
void sparse_product(KernelContext& context);
void sparse_product_term(KernelContext& context);

}  // namespace ef::cpu
