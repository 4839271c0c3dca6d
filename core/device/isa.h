// Which instruction set the vector kernels use on this machine.
#pragma once

namespace ef {

enum class Isa { kBaseline, kAvx2, kAvx512 };

// The best set this processor has, or what the environment variable EAGERFLOW_ISA asks for
// (baseline, avx2, avx512; never more than the processor has).
Isa isa();

}  // namespace ef
