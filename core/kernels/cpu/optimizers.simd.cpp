// Vectorised optimizer updates.
#include "kernels/cpu/optimizer_rules.h"

namespace ef::cpu::EF_ISA {

const UpdateLoops& update_loops() {
  static constexpr UpdateLoops loops{run<float, float>, run<double, double>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
