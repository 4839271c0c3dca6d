// Kernels of the elementwise operations: broadcasting, threads and blocks around the inner loops.
#pragma once

#include "kernels/cpu/elementwise_loops.h"
#include "ops/op.h"

namespace ef::cpu {

void run_unary(KernelContext& context, Unary op, double parameter);
void run_binary(KernelContext& context, Binary op, double parameter, bool swapped = false);

template <Unary op>
void unary(KernelContext& context) {
  run_unary(context, op, 0);
}
template <Binary op>
void binary(KernelContext& context) {
  run_binary(context, op, 0);
}
// x > y is computed as y < x.
template <Binary op>
void binary_swapped(KernelContext& context) {
  run_binary(context, op, 0, true);
}

void add_n(KernelContext& context);
void leaky_relu(KernelContext& context);
void leaky_relu_grad(KernelContext& context);
void gelu(KernelContext& context);
void gelu_grad(KernelContext& context);

// These return the input itself where they are the identity: for integers, or real dtypes.
void round(KernelContext& context);
void real(KernelContext& context);
void conj(KernelContext& context);
// Zeros for real dtypes.
void imag(KernelContext& context);

void select(KernelContext& context);
void clip_by_value(KernelContext& context);
void cast(KernelContext& context);

// Makes the output share the input's memory.
void forward(KernelContext& context);

// Converts `count` contiguous elements, on several threads if they are many. Not for strings.
void convert_elements(DType from, const void* x, DType to, void* out, int64_t count);

}  // namespace ef::cpu
