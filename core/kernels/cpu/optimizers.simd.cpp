// Vectorised optimizer updates.
#include <algorithm>

#include "kernels/cpu/optimizer_loops.h"

namespace ef::cpu::EF_ISA {

const UpdateLoops& update_loops() {
  static constexpr UpdateLoops loops = [] {
    UpdateLoops result{};
    std::ranges::copy(kUpdates<float, float>, result.float32);
    std::ranges::copy(kUpdates<double, double>, result.float64);
    return result;
  }();
  return loops;
}

}  // namespace ef::cpu::EF_ISA
