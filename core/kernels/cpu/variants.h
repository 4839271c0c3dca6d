// Kernels on variant tensors.
#pragma once

#include "ops/kernel_context.h"
#include "tensor/variant.h"

namespace ef::cpu {

// a + b of tensors that elements hold; in the memory of `a` if there is no other handle.
Tensor sum_of_elements(Tensor a, const Tensor& b);
// Zeros, or elements that count as zeros.
Tensor zeros_of(DType dtype, const Shape& shape);

void variant_add(KernelContext& context);
void variant_zeros_like(KernelContext& context);
void ragged_to_variant(KernelContext& context);
void ragged_to_variant_grad(KernelContext& context);
void ragged_from_variant(KernelContext& context);

}  // namespace ef::cpu
