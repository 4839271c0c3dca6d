// The update rules of the optimizers: their hyperparameters, and how they run. The formulas are in
// optimizer_rules.h.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "device/isa.h"
#include "tensor/dtype.h"

namespace ef::cpu {

// w -= learning_rate g
struct GradientDescentStep {
  double learning_rate;
};

// Slots: momentum.
struct MomentumStep {
  double learning_rate;
  double momentum;
  bool nesterov;
};

// Slots: momentum, velocity and, for AMSGrad, the largest velocity.
struct AdamStep {
  double learning_rate;  // with the corrections of both biases
  double beta_1;
  double beta_2;
  double epsilon;
};

// Slots: momentum, the infinity norm of the gradients.
struct AdamaxStep {
  double learning_rate;  // with the correction of the momentum's bias
  double beta_1;
  double beta_2;
  double epsilon;
};

// Slots: momentum, velocity.
struct NadamStep {
  double momentum_rate;  // the learning rate of the momentum, with the corrections of biases
  double gradient_rate;  // the learning rate of the gradient, with the corrections of biases
  double beta_1;
  double beta_2;
  double epsilon;
};

// Slots: velocity, momentum (may be absent), the mean of gradients (only if centered).
struct RMSpropStep {
  double learning_rate;
  double rho;
  double momentum;
  double epsilon;
};

// Slots: the sum of squared gradients.
struct AdagradStep {
  double learning_rate;
  double epsilon;
};

// Slots: the means of squared gradients and of squared updates.
struct AdadeltaStep {
  double learning_rate;
  double rho;
  double epsilon;
};

// Slots: the sum of squared gradients, the linear term.
struct FtrlStep {
  double learning_rate;
  double learning_rate_power;  // not positive
  double l1;
  double l2;
  double l2_shrinkage;
};

// Slots: momentum.
struct LionStep {
  double learning_rate;
  double beta_1;
  double beta_2;
};

// w -= rate w; reads no gradient.
struct WeightDecayStep {
  double rate;
};

// The variable is the average, and the gradient the value to be averaged.
struct MovingAverageStep {
  double momentum;
};

using OptimizerStep =
    std::variant<GradientDescentStep, MomentumStep, AdamStep, AdamaxStep, NadamStep, RMSpropStep,
                 AdagradStep, AdadeltaStep, FtrlStep, LionStep, WeightDecayStep, MovingAverageStep>;

constexpr int kMaxSlots = 3;

// The arrays of one variable's update, each of `count` elements. A rule's slots come in the order
// of its comment above; absent ones are null.
struct UpdateArrays {
  void* variable = nullptr;
  void* slots[kMaxSlots] = {};
  const void* gradient = nullptr;
  int64_t count = 0;
};

using UpdateLoop = void (*)(const OptimizerStep&, const UpdateArrays&, int64_t begin, int64_t end);

struct UpdateLoops {
  UpdateLoop float32;
  UpdateLoop float64;
};

EF_EVERY_ISA(UpdateLoops, update_loops)

// Updates all elements, on several threads if there are many. Throws for dtypes that are not
// floating.
void run_update(const OptimizerStep& step, DType dtype, const UpdateArrays& arrays);

// Updates some rows of `row_size` elements only: the i-th row of the gradient belongs to row
// rows[i] of the variable and its slots. A row that appears twice is updated twice.
void run_row_update(const OptimizerStep& step, DType dtype, const UpdateArrays& arrays,
                    std::span<const int64_t> rows, int64_t row_size);

// Updates all `size` rows of the variable, whose gradient is the sum of its rows in `arrays`, or 0.
void run_whole_update(const OptimizerStep& step, DType dtype, const UpdateArrays& arrays,
                      std::span<const int64_t> rows, int64_t size);

}  // namespace ef::cpu
