// One step of an optimizer for many variables: each is updated by one pass over its memory.
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
  Tensor rows;  // of a sparse gradient: the rows that it updates, int64 [n]
  // Whether it updates all rows: those of a row that repeats are added, and the others are 0.
  bool every_row = false;
};

// Checks the dtypes and shapes of all targets, and then updates them.
void update(const cpu::OptimizerStep& step, std::vector<UpdateTarget> targets);

}  // namespace ef
