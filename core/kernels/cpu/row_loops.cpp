// Chooses the row loops for this machine.
#include "kernels/cpu/row_loops.h"

namespace ef::cpu {

const RowLoops& row_loops() { return best::row_loops(); }

}  // namespace ef::cpu
