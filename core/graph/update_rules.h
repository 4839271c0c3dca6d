// The update rules of the optimizers as operations, for other devices than the CPU.
// kernels/cpu/optimizer_rules.h has the same formulas for arrays.
#pragma once

#include <span>

#include "eager/fused_update.h"
#include "tensor/tensor_list.h"

namespace ef::graph {

// The values of a target: its variable, its slots, and its gradient. If there are rows, the
// gradient is sparse.
struct UpdateValues {
  Tensor variable;
  Tensor slots[cpu::kMaxSlots];
  Tensor gradient;
  Tensor rows;
  bool every_row = false;  // see UpdateTarget
};

// Runs the operations of `step`, or adds them to the graph that is being built; returns the new
// values of the variable and of the slots. `numbers` are the rule's hyperparameters, scalars, in
// its order; for one that is empty or missing, `step` has the value.
TensorList updated_values(const cpu::OptimizerStep& step, std::span<const Tensor> numbers,
                          const UpdateValues& old);
// The same for a target's variables, to which the values are assigned.
void add_rule(const cpu::OptimizerStep& step, std::span<const Tensor> numbers,
              const UpdateTarget& target);

}  // namespace ef::graph
