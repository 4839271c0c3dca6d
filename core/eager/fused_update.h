// An optimizer's step for many variables: one pass over the memory of each variable.
#pragma once

#include <vector>

#include "eager/variable_ref.h"
#include "kernels/cpu/optimizers.h"
#include "tensor/tensor.h"

namespace ef {

// A variable, its slots and its gradient.
struct UpdateTarget {
  VariableRef variable;
  VariableRef slots[cpu::kMaxSlots];
  Tensor gradient;  // empty for rules without one
  bool sparse = false;
  Tensor rows;  // indices of the rows that a sparse gradient updates, int64 [n]
  // Whether all rows are updated: gradients of repeated rows are summed, and those of other rows
  // are 0.
  bool every_row = false;
};

// Checks the dtypes and shapes of all targets, and then updates them.
void update(const cpu::OptimizerStep& step, std::vector<UpdateTarget> targets);

}  // namespace ef
