// The instruction set of the vector kernels on this machine.
#pragma once

namespace ef {

enum class Isa { kBaseline, kAvx2, kAvx512 };

// The best set that the processor supports, or the lower one that the environment variable
// EAGERFLOW_ISA names (baseline, avx2, avx512). Other processors than x86-64 have the baseline
// only.
Isa isa();

}  // namespace ef

// Declares a function of the *.simd.cpp files, which each build of them defines in the namespace of
// its instruction set, and best::NAME, which gives this machine's. To be used in ef::cpu.
#if defined(__x86_64__)
#define EF_EVERY_ISA(Loops, name)                                          \
  namespace baseline {                                                     \
  const Loops& name();                                                     \
  }                                                                        \
  namespace avx2 {                                                         \
  const Loops& name();                                                     \
  }                                                                        \
  namespace avx512 {                                                       \
  const Loops& name();                                                     \
  }                                                                        \
  namespace best {                                                         \
  inline const Loops& name() {                                             \
    static const Loops& chosen = isa() == Isa::kAvx512 ? avx512::name()    \
                                 : isa() == Isa::kAvx2 ? avx2::name()      \
                                                       : baseline::name(); \
    return chosen;                                                         \
  }                                                                        \
  }
#else
#define EF_EVERY_ISA(Loops, name)                         \
  namespace baseline {                                    \
  const Loops& name();                                    \
  }                                                       \
  namespace best {                                        \
  inline const Loops& name() { return baseline::name(); } \
  }
#endif
