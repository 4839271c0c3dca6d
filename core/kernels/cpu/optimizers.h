// Optimizer updates: one pass over a variable and its slots.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/dtype.h"

namespace ef::cpu {

// Arrays of one variable's update; unused ones are null. All have `count` elements.
struct UpdateArrays {
  void* variable = nullptr;
  void* slots[3] = {};
  const void* gradient = nullptr;
  int64_t count = 0;
};

// The formulas, with g the gradient, w the variable and s0, s1, s2 the slots.
enum class Update : uint8_t {
  kSgd,       // w -= rate g
  kMomentum,  // s0 = momentum s0 - rate g; w += s0, or momentum s0 - rate g with Nesterov
  kAdam,      // s0 += (g - s0)(1 - beta1); s1 += (g² - s1)(1 - beta2); w -= rate s0 / (√s1 + ε);
              // with AMSGrad, s2 = max(s2, s1) takes the place of s1 under the root
  kRmsprop,   // s0 = ρ s0 + (1 - ρ) g²; step = rate g / √(s0 - s2² + ε); with momentum,
              // s1 = momentum s1 + step is the step; centered, s2 is the mean of g
  kAdagrad,   // s0 += g²; w -= rate g / √(s0 + ε)
  kAdadelta,  // s0 = ρ s0 + (1 - ρ) g²; step = g √(s1 + ε) / √(s0 + ε);
              // s1 = ρ s1 + (1 - ρ) step²; w -= rate step
  kAdamax,    // s0 += (g - s0)(1 - beta1); s1 = max(beta2 s1, |g|); w -= rate s0 / (s1 + ε)
  kNadam,     // s0 += (g - s0)(1 - beta1); s1 += (g² - s1)(1 - beta2);
              // w -= (rate s0 + momentum g) / (√s1 + ε)
  kFtrl,      // s = s0 + g²; s1 += g + ε w - (s^p - s0^p) / rate w; s0 = s;
              // w = (clip(s1, -beta1, beta1) - s1) / (s^p / rate + 2 beta2); p is the momentum
  kLion,      // w -= rate sign(beta1 s0 + (1 - beta1) g); s0 = beta2 s0 + (1 - beta2) g
  kDecay,     // w -= rate w
  kAverage,   // w = momentum w + (1 - momentum) g
  kCount,
};

struct UpdateNumbers {
  double rate = 0;
  double momentum = 0;
  double beta1 = 0;  // ρ for kRmsprop and kAdadelta
  double beta2 = 0;
  double epsilon = 0;
  bool nesterov = false;
};

using UpdateLoop = void (*)(const UpdateArrays&, const UpdateNumbers&, int64_t begin, int64_t end);

struct UpdateLoops {
  UpdateLoop float32[static_cast<int>(Update::kCount)];
  UpdateLoop float64[static_cast<int>(Update::kCount)];
};

namespace baseline {
const UpdateLoops& update_loops();
}
namespace avx2 {
const UpdateLoops& update_loops();
}
namespace avx512 {
const UpdateLoops& update_loops();
}

// Runs an update on several threads if it is large. Throws for dtypes that are not floating.
void run_update(Update update, DType dtype, const UpdateArrays& arrays,
                const UpdateNumbers& numbers);

// Updates some rows of `row_size` elements only: the i-th row of the gradient belongs to row
// rows[i] of the variable and its slots. A row that appears twice is updated twice.
void run_row_update(Update update, DType dtype, const UpdateArrays& arrays,
                    const UpdateNumbers& numbers, std::span<const int64_t> rows, int64_t row_size);

}  // namespace ef::cpu
