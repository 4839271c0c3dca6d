// The update rules of the optimizers as operations, for what runs elsewhere than on the CPU.
// kernels/cpu/optimizer_rules.h has the same formulas for its arrays.
#pragma once

#include <span>

#include "eager/fused_update.h"
#include "tensor/tensor_list.h"

namespace ef::graph {

// What a rule reads of a target: the values of its variable and slots, and its gradient, which is
// for some rows where there are rows.
struct UpdateValues {
  Tensor variable;
  Tensor slots[cpu::kMaxSlots];
  Tensor gradient;
  Tensor rows;
  bool every_row = false;  // see UpdateTarget
};

// Runs the operations that `step` consists of, or adds them to the graph that is being built; the
// new values of the variable and of the slots that there are. `numbers` are the rule's
// hyperparameters, scalars, in its order; where one is empty or missing, it is known to `step`.
// Throws Unimplemented for sparse gradients of rules that are not linear in them.
TensorList updated_values(const cpu::OptimizerStep& step, std::span<const Tensor> numbers,
                          const UpdateValues& old);
// The same for a target's variables, which get the values.
void add_rule(const cpu::OptimizerStep& step, std::span<const Tensor> numbers,
              const UpdateTarget& target);

}  // namespace ef::graph
