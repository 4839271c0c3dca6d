// The update rules of the optimizers as operations, for what runs elsewhere than on the CPU.
// kernels/cpu/optimizer_rules.h has the same formulas for its arrays.
#pragma once

#include <span>

#include "eager/fused_update.h"

namespace ef::graph {

// Runs the operations that do what `step` does to a target, or adds them to the graph that is being
// built. `numbers`
// are the rule's hyperparameters, scalars, in its order; where one is empty, it is known to `step`.
// Throws Unimplemented for sparse gradients of rules that are not linear in them.
void add_rule(const cpu::OptimizerStep& step, std::span<const Tensor> numbers,
              const UpdateTarget& target);

}  // namespace ef::graph
