// Optimizer updates: each formula against plain double arithmetic, all dtypes, single rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

#include "kernels/cpu/optimizers.h"
#include "tests/check.h"

namespace ef {
namespace {

using cpu::OptimizerStep;

const OptimizerStep kGradientDescent = cpu::GradientDescentStep{0.1};
const OptimizerStep kAdagrad = cpu::AdagradStep{0.1, 1e-3};
const OptimizerStep kSteps[] = {
    kGradientDescent,
    cpu::MomentumStep{0.1, 0.9, false},
    cpu::MomentumStep{0.1, 0.9, true},
    cpu::AdamStep{0.1, 0.8, 0.95, 1e-3},
    cpu::AdamaxStep{0.1, 0.8, 0.95, 1e-3},
    cpu::NadamStep{0.1, 0.9, 0.8, 0.95, 1e-3},
    cpu::RMSpropStep{0.1, 0.8, 0.9, 1e-3},
    kAdagrad,
    cpu::AdadeltaStep{0.1, 0.8, 1e-3},
    cpu::FtrlStep{0.1, -0.5, 0.8, 0.95, 5e-4},
    cpu::FtrlStep{0.1, -0.9, 0.8, 0.95, 5e-4},
    cpu::LionStep{0.1, 0.8, 0.95},
    cpu::WeightDecayStep{0.1},
    cpu::MovingAverageStep{0.9},
};

// One element of a variable and its slots, updated by each rule in double precision.
struct Element {
  double w, s0, s1, s2;

  void update(const cpu::GradientDescentStep& step, double g) { w -= step.learning_rate * g; }
  void update(const cpu::MomentumStep& step, double g) {
    s0 = step.momentum * s0 - step.learning_rate * g;
    w += step.nesterov ? step.momentum * s0 - step.learning_rate * g : s0;
  }
  void update(const cpu::AdamStep& step, double g) {
    s0 = step.beta_1 * s0 + (1 - step.beta_1) * g;
    s1 = step.beta_2 * s1 + (1 - step.beta_2) * g * g;
    if (has_s2) s2 = std::max(s2, s1);
    w -= step.learning_rate * s0 / (std::sqrt(has_s2 ? s2 : s1) + step.epsilon);
  }
  void update(const cpu::AdamaxStep& step, double g) {
    s0 = step.beta_1 * s0 + (1 - step.beta_1) * g;
    s1 = std::max(step.beta_2 * s1, std::abs(g));
    w -= step.learning_rate * s0 / (s1 + step.epsilon);
  }
  void update(const cpu::NadamStep& step, double g) {
    s0 = step.beta_1 * s0 + (1 - step.beta_1) * g;
    s1 = step.beta_2 * s1 + (1 - step.beta_2) * g * g;
    w -= (step.momentum_rate * s0 + step.gradient_rate * g) / (std::sqrt(s1) + step.epsilon);
  }
  void update(const cpu::RMSpropStep& step, double g) {
    s0 = step.rho * s0 + (1 - step.rho) * g * g;
    double variance = s0 + step.epsilon;
    if (has_s2) {
      s2 = step.rho * s2 + (1 - step.rho) * g;
      variance -= s2 * s2;
    }
    double delta = step.learning_rate * g / std::sqrt(variance);
    if (has_s1) delta = s1 = step.momentum * s1 + delta;
    w -= delta;
  }
  void update(const cpu::AdagradStep& step, double g) {
    s0 += g * g;
    w -= step.learning_rate * g / std::sqrt(s0 + step.epsilon);
  }
  void update(const cpu::AdadeltaStep& step, double g) {
    s0 = step.rho * s0 + (1 - step.rho) * g * g;
    const double delta = g * std::sqrt(s1 + step.epsilon) / std::sqrt(s0 + step.epsilon);
    s1 = step.rho * s1 + (1 - step.rho) * delta * delta;
    w -= step.learning_rate * delta;
  }
  void update(const cpu::FtrlStep& step, double g) {
    const double sum = s0 + g * g;
    const double scale = std::pow(sum, -step.learning_rate_power);
    const double sigma = (scale - std::pow(s0, -step.learning_rate_power)) / step.learning_rate;
    s1 += g + 2 * step.l2_shrinkage * w - sigma * w;
    const double clipped = std::clamp(s1, -step.l1, step.l1);
    w = (clipped - s1) / (scale / step.learning_rate + 2 * step.l2);
    s0 = sum;
  }
  void update(const cpu::LionStep& step, double g) {
    const double direction = step.beta_1 * s0 + (1 - step.beta_1) * g;
    w -= step.learning_rate * (direction > 0 ? 1 : direction < 0 ? -1 : 0);
    s0 = step.beta_2 * s0 + (1 - step.beta_2) * g;
  }
  void update(const cpu::WeightDecayStep& step, double) { w -= step.rate * w; }
  void update(const cpu::MovingAverageStep& step, double value) {
    w = step.momentum * w + (1 - step.momentum) * value;
  }

  bool has_s1 = true, has_s2 = true;
};

// Variable, three slots and gradient, with different values in each element.
template <class T>
struct Arrays {
  explicit Arrays(int64_t count) : data(5, std::vector<T>(static_cast<size_t>(count))) {
    for (size_t k = 0; k < 5; ++k) {
      for (size_t i = 0; i < data[k].size(); ++i) {
        const auto x = static_cast<float>((i * 37 + k * 11) % 101) / 50.0f;
        data[k][i] = static_cast<T>(k == 0 || k == 4 ? x - 1.0f : x * 0.1f + 2.0f);
        if (k == 3) data[k][i] = static_cast<T>(x * 0.1f);
      }
    }
  }
  cpu::UpdateArrays pointers() {
    cpu::UpdateArrays arrays;
    arrays.variable = data[0].data();
    for (int k = 0; k < 3; ++k) arrays.slots[k] = data[static_cast<size_t>(k) + 1].data();
    arrays.gradient = data[4].data();
    arrays.count = static_cast<int64_t>(data[0].size());
    return arrays;
  }
  Element at(size_t i) const {
    const auto value = [&](size_t k) {
      return static_cast<double>(static_cast<float>(data[k][i]));
    };
    return {value(0), value(1), value(2), value(3)};
  }
  std::vector<std::vector<T>> data;
};

// Every rule with its optional slots and without them.
template <class T>
void check_updates(double tolerance) {
  for (const OptimizerStep& step : kSteps) {
    const bool optional_slots = std::holds_alternative<cpu::AdamStep>(step) ||
                                std::holds_alternative<cpu::RMSpropStep>(step);
    const bool optional_s1 = std::holds_alternative<cpu::RMSpropStep>(step);
    // Ftrl divides its linear term by the rate, which magnifies rounding errors.
    const bool magnified = std::holds_alternative<cpu::FtrlStep>(step);
    for (unsigned absent = 0; absent < (optional_slots ? 4 : 1); ++absent) {
      const bool has_s1 = !(optional_s1 && (absent & 1));
      const bool has_s2 = !(absent & 2);
      for (int64_t count : {0, 1, 7, 16, 33, 100'000}) {
        const Arrays<T> before(count);
        Arrays<T> after(count);
        cpu::UpdateArrays arrays = after.pointers();
        if (!has_s1) arrays.slots[1] = nullptr;
        if (!has_s2) arrays.slots[2] = nullptr;
        cpu::run_update(step, kDTypeOf<T>, arrays);
        for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
          const double g = static_cast<float>(before.data[4][i]);
          Element expected = before.at(i);
          expected.has_s1 = has_s1;
          expected.has_s2 = has_s2;
          std::visit([&](const auto& one) { expected.update(one, g); }, step);
          const Element got = after.at(i);
          CHECK_NEAR(got.w, expected.w, tolerance);
          CHECK_NEAR(got.s0, expected.s0, tolerance);
          CHECK_NEAR(got.s1, expected.s1, magnified ? 20 * tolerance : tolerance);
          CHECK_NEAR(got.s2, expected.s2, tolerance);
        }
      }
    }
  }
}

TEST(optimizer_updates_float32) { check_updates<float>(1e-6); }
TEST(optimizer_updates_float64) { check_updates<double>(2e-7); }  // compared as floats
TEST(optimizer_updates_float16) { check_updates<Half>(3e-3); }
TEST(optimizer_updates_bfloat16) { check_updates<Bfloat16>(3e-2); }

TEST(row_updates_touch_their_rows_only) {
  for (const OptimizerStep& step : {kGradientDescent, kAdagrad}) {
    Arrays<float> all(15);
    Arrays<float> rows(15);
    const std::vector<float> gradient = {1, 2, 3, -1, 0.5, 0};
    all.data[4] = {0, 0, 0, -1, 0.5, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0};
    cpu::run_update(step, DType::kFloat32, all.pointers());
    cpu::UpdateArrays arrays = rows.pointers();
    arrays.gradient = gradient.data();
    const std::vector<int64_t> updated = {3, 1};
    cpu::run_row_update(step, DType::kFloat32, arrays, updated, 3);
    for (size_t k = 0; k < 2; ++k) {
      for (size_t i = 0; i < 15; ++i) CHECK_NEAR(rows.data[k][i], all.data[k][i], 1e-6);
    }
  }
}

// An update of single rows equals an update of all, slots too, in every dtype.
template <class T>
void check_row_updates() {
  constexpr int64_t kRow = 37, kRows = 6;
  const std::vector<int64_t> updated = {4, 0, 5};
  for (const OptimizerStep& step : kSteps) {
    const Arrays<T> before(kRow * kRows);
    Arrays<T> whole(kRow * kRows), rows(kRow * kRows);
    cpu::run_update(step, kDTypeOf<T>, whole.pointers());
    std::vector<T> gradient;
    for (const int64_t row : updated) {
      const auto from = before.data[4].begin() + row * kRow;
      gradient.insert(gradient.end(), from, from + kRow);
    }
    cpu::UpdateArrays arrays = rows.pointers();
    arrays.gradient = gradient.data();
    cpu::run_row_update(step, kDTypeOf<T>, arrays, updated, kRow);
    for (size_t k = 0; k < 4; ++k) {
      for (int64_t i = 0; i < kRow * kRows; ++i) {
        const bool touched = std::ranges::count(updated, i / kRow) > 0;
        const auto at = static_cast<size_t>(i);
        const T expected = (touched ? whole : before).data[k][at];
        CHECK_NEAR(static_cast<double>(static_cast<float>(rows.data[k][at])),
                   static_cast<double>(static_cast<float>(expected)), 1e-6);
      }
    }
  }
}

TEST(row_updates_are_whole_updates_of_rows) {
  check_row_updates<float>();
  check_row_updates<double>();
  check_row_updates<Half>();
  check_row_updates<Bfloat16>();
}

TEST(a_row_given_twice_is_updated_twice) {
  float w[] = {1, 1, 1, 1};
  const float g[] = {1, 2, 10, 20};
  cpu::UpdateArrays arrays;
  arrays.variable = w;
  arrays.gradient = g;
  arrays.count = 4;
  const std::vector<int64_t> updated = {1, 1};
  cpu::run_row_update(kGradientDescent, DType::kFloat32, arrays, updated, 2);
  CHECK_EQUAL(w[0], 1.0f);
  CHECK_NEAR(w[2], 1 - 0.1 * 11, 1e-6);
  CHECK_NEAR(w[3], 1 - 0.1 * 22, 1e-6);
}

TEST(optimizer_updates_need_floats) {
  CHECK_THROWS(Code::kInvalidArgument, "int32",
               cpu::run_update(kGradientDescent, DType::kInt32, {}));
}

}  // namespace
}  // namespace ef
