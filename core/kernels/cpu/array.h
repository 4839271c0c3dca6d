// Kernels of the operations that rearrange, join, cut and repeat tensors.
#pragma once

#include "ops/kernel_context.h"

namespace ef::ops {
struct StridedSliceAttrs;
}

namespace ef::cpu {

// Several operations whose result is the input's memory under another shape.
void view_as_inferred(KernelContext& context);
void bitcast(KernelContext& context);

void transpose(KernelContext& context);
void broadcast_to(KernelContext& context);
// The same for a result that is computed immediately.
Tensor broadcast_now(const Tensor& input, const Shape& shape);
void tile(KernelContext& context);
void reverse(KernelContext& context);

void concat(KernelContext& context);
void stack(KernelContext& context);
void unstack(KernelContext& context);
void split(KernelContext& context);

void slice(KernelContext& context);
void roll(KernelContext& context);
void strided_slice(KernelContext& context);
void strided_slice_grad(KernelContext& context);
void strided_slice_update(KernelContext& context);
// Adds to the part of `whole` that strided_slice, with these attributes, would return. The caller
// must own `whole`.
void add_to_slice(const Tensor& whole, const Tensor& values, const ops::StridedSliceAttrs& slice);
void pad(KernelContext& context);
void mirror_pad_grad(KernelContext& context);

}  // namespace ef::cpu
