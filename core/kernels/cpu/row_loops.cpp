// Chooses the row loops for this machine.
#include "kernels/cpu/row_loops.h"

#include "device/isa.h"

namespace ef::cpu {

const RowLoops& row_loops() {
  static const RowLoops& chosen = isa() == Isa::kAvx512 ? avx512::row_loops()
                                  : isa() == Isa::kAvx2 ? avx2::row_loops()
                                                        : baseline::row_loops();
  return chosen;
}

}  // namespace ef::cpu
