// Vectorised optimizer updates.
#include "kernels/cpu/optimizer_loops.h"

namespace ef::cpu::EF_ISA {

const UpdateLoops& update_loops() {
  static constexpr UpdateLoops loops = {
      {sgd<float, float>, momentum<float, float>, adam<float, float>, rmsprop<float, float>,
       adagrad<float, float>},
      {sgd<double, double>, momentum<double, double>, adam<double, double>, rmsprop<double, double>,
       adagrad<double, double>}};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
