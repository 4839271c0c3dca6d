// Kernels of the host language: NumPy's Fourier transforms and LAPACK's factorizations.
#pragma once

#include "ops/kernel_context.h"
#include "tensor/dtype.h"

namespace ef {

// The kernel of operations that a function of the host language computes. It creates the outputs.
void host_kernel(KernelContext& context);
// The kernel of operations that `run` computes for real dtypes, and the host language for complex
// ones.
template <KernelFn run>
void run_or_host_kernel(KernelContext& context) {
  is_complex(context.input(0).dtype()) ? host_kernel(context) : run(context);
}

// Sets the function that it calls; the program that embeds the engine calls this.
void set_host_kernel(KernelFn run);

}  // namespace ef
