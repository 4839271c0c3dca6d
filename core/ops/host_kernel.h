// Kernels of the host language: NumPy's Fourier transforms and LAPACK's factorizations.
#pragma once

#include "ops/kernel_context.h"

namespace ef {

// The kernel of operations that a function of the host language computes. It creates the outputs.
void host_kernel(KernelContext& context);
// Sets the function that it calls; the program that embeds the engine calls this.
void set_host_kernel(KernelFn run);

}  // namespace ef
