// Kernels of the elementwise operations: broadcasting, threads and blocks around the inner loops.
#pragma once

#include "kernels/cpu/elementwise_loops.h"
#include "ops/element_call.h"
#include "ops/kernel_context.h"

namespace ef::cpu {

void run_unary(KernelContext& context, Unary op, double parameter);
void run_binary(KernelContext& context, Binary op, double parameter, bool swapped = false);
ElementLoop unary_elements(const ElementCall& call, Unary op, double parameter = 0);
ElementLoop binary_elements(const ElementCall& call, Binary op, double parameter = 0,
                            bool swapped = false);

template <Unary op>
inline constexpr Kernel unary{
    [](KernelContext& context) { run_unary(context, op, 0); },
    [](const ElementCall& call) { return unary_elements(call, op); },
};
template <Binary op>
inline constexpr Kernel binary{
    [](KernelContext& context) { run_binary(context, op, 0); },
    [](const ElementCall& call) { return binary_elements(call, op); },
};
// x > y is computed as y < x.
template <Binary op>
inline constexpr Kernel binary_swapped{
    [](KernelContext& context) { run_binary(context, op, 0, true); },
    [](const ElementCall& call) { return binary_elements(call, op, 0, true); },
};

extern const Kernel add_n;
extern const Kernel leaky_relu;
extern const Kernel leaky_relu_grad;
extern const Kernel gelu;
extern const Kernel gelu_grad;

// These return the input itself for dtypes for which they are the identity: integers, or real ones.
extern const Kernel round;
extern const Kernel real;
extern const Kernel conj;
// Zeros for real dtypes.
void imag(KernelContext& context);

extern const Kernel select;
extern const Kernel clip_by_value;
extern const Kernel cast;

// Makes the output share the input's memory.
extern const Kernel forward;

// Converts `count` contiguous elements, on several threads if they are many. Not for strings.
void convert_elements(DType from, const void* x, DType to, void* out, int64_t count);

}  // namespace ef::cpu
