// Processor detection.
#include "device/isa.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace ef {
namespace {

Isa detect() {
  Isa best = Isa::kBaseline;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    best = Isa::kAvx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      best = Isa::kAvx512;
    }
  }
  if (const char* asked = std::getenv("EAGERFLOW_ISA")) {
    const std::string_view name = asked;
    if (name == "baseline") return Isa::kBaseline;
    if (name == "avx2") return std::min(best, Isa::kAvx2);
  }
#endif
  return best;
}

}  // namespace

Isa isa() {
  static const Isa chosen = detect();
  return chosen;
}

}  // namespace ef
