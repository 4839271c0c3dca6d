// Kernels that are the host language's: NumPy's Fourier transforms, LAPACK's factorizations.
#pragma once

#include "ops/kernel_context.h"

namespace ef {

// The kernel of operations for which the host language has a function. It makes the outputs.
void host_kernel(KernelContext& context);
// What it calls; whoever embeds the engine says so.
void set_host_kernel(KernelFn run);

}  // namespace ef
