// The instruction set of the vector kernels on this machine.
#pragma once

namespace ef {

enum class Isa { kBaseline, kAvx2, kAvx512 };

// The best set that the processor supports, or the lower one that the environment variable
// EAGERFLOW_ISA names (baseline, avx2, avx512).
Isa isa();

}  // namespace ef
