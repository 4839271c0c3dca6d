// Kernels that make tensors from sizes and scalars.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void fill(KernelContext& context);
void zeros(KernelContext& context);
void ones(KernelContext& context);
void range(KernelContext& context);
void linspace(KernelContext& context);
void eye(KernelContext& context);
void matrix_band_part(KernelContext& context);
void diag(KernelContext& context);
void diag_part(KernelContext& context);

// The number of elements of range(start, limit, delta); throws where TensorFlow does.
int64_t range_size(const Tensor& start, const Tensor& limit, const Tensor& delta);

}  // namespace ef::cpu
