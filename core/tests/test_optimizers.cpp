// Optimizer updates: each formula against plain double arithmetic, all dtypes, single rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/cpu/optimizers.h"
#include "tests/check.h"

namespace ef {
namespace {

using cpu::Update;

constexpr cpu::UpdateNumbers kNumbers{0.1, 0.9, 0.8, 0.95, 1e-3, false};

// One element's variable and slots.
struct Element {
  double w, s0, s1, s2;
};

Element step(Update update, Element e, double g, const cpu::UpdateNumbers& n) {
  switch (update) {
    case Update::kSgd: e.w -= n.rate * g; break;
    case Update::kMomentum:
      e.s0 = n.momentum * e.s0 - n.rate * g;
      e.w += n.nesterov ? n.momentum * e.s0 - n.rate * g : e.s0;
      break;
    case Update::kAdam:
      e.s0 += (g - e.s0) * (1 - n.beta1);
      e.s1 += (g * g - e.s1) * (1 - n.beta2);
      e.s2 = std::max(e.s2, e.s1);
      e.w -= n.rate * e.s0 / (std::sqrt(e.s2) + n.epsilon);
      break;
    case Update::kRmsprop: {
      e.s0 = n.beta1 * e.s0 + (1 - n.beta1) * g * g;
      e.s2 = n.beta1 * e.s2 + (1 - n.beta1) * g;
      const double rise = n.rate * g / std::sqrt(e.s0 - e.s2 * e.s2 + n.epsilon);
      e.s1 = n.momentum * e.s1 + rise;
      e.w -= e.s1;
      break;
    }
    case Update::kAdadelta: {
      e.s0 = n.beta1 * e.s0 + (1 - n.beta1) * g * g;
      const double move = g * std::sqrt(e.s1 + n.epsilon) / std::sqrt(e.s0 + n.epsilon);
      e.s1 = n.beta1 * e.s1 + (1 - n.beta1) * move * move;
      e.w -= n.rate * move;
      break;
    }
    case Update::kAdamax:
      e.s0 += (g - e.s0) * (1 - n.beta1);
      e.s1 = std::max(n.beta2 * e.s1, std::abs(g));
      e.w -= n.rate * e.s0 / (e.s1 + n.epsilon);
      break;
    case Update::kNadam:
      e.s0 += (g - e.s0) * (1 - n.beta1);
      e.s1 += (g * g - e.s1) * (1 - n.beta2);
      e.w -= (n.rate * e.s0 + n.momentum * g) / (std::sqrt(e.s1) + n.epsilon);
      break;
    case Update::kFtrl: {
      const double sum = e.s0 + g * g;
      const double raised = std::pow(sum, n.momentum);
      e.s1 += g + n.epsilon * e.w - (raised - std::pow(e.s0, n.momentum)) / n.rate * e.w;
      const double bounded = std::clamp(e.s1, -n.beta1, n.beta1);
      e.w = (bounded - e.s1) / (raised / n.rate + 2 * n.beta2);
      e.s0 = sum;
      break;
    }
    case Update::kLion: {
      const double direction = n.beta1 * e.s0 + (1 - n.beta1) * g;
      e.w -= direction > 0 ? n.rate : direction < 0 ? -n.rate : 0;
      e.s0 = n.beta2 * e.s0 + (1 - n.beta2) * g;
      break;
    }
    case Update::kDecay: e.w -= n.rate * e.w; break;
    case Update::kAverage: e.w = n.momentum * e.w + (1 - n.momentum) * g; break;
    default: e.s0 += g * g; e.w -= n.rate * g / std::sqrt(e.s0 + n.epsilon);
  }
  return e;
}

// Variable, three slots and gradient, with different numbers in each place.
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

template <class T>
void check_updates(double tolerance) {
  for (int kind = 0; kind < static_cast<int>(Update::kCount); ++kind) {
    const auto update = static_cast<Update>(kind);
    for (int64_t count : {0, 1, 7, 16, 33, 100'000}) {
      cpu::UpdateNumbers numbers = kNumbers;
      numbers.nesterov = count % 2 == 1;
      const Arrays<T> before(count);
      Arrays<T> after(count);
      cpu::run_update(update, kDTypeOf<T>, after.pointers(), numbers);
      for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
        const double g = static_cast<float>(before.data[4][i]);
        const Element expected = step(update, before.at(i), g, numbers);
        const Element got = after.at(i);
        CHECK_NEAR(got.w, expected.w, tolerance);
        CHECK_NEAR(got.s0, expected.s0, tolerance);
        // Ftrl's sum divides by the rate, and so magnifies what was rounded.
        CHECK_NEAR(got.s1, expected.s1, update == Update::kFtrl ? 20 * tolerance : tolerance);
        CHECK_NEAR(got.s2, expected.s2, tolerance);
      }
    }
  }
}

TEST(optimizer_updates_float32) { check_updates<float>(1e-6); }
TEST(optimizer_updates_float64) { check_updates<double>(2e-7); }  // compared as floats
TEST(optimizer_updates_float16) { check_updates<Half>(3e-3); }
TEST(optimizer_updates_bfloat16) { check_updates<Bfloat16>(3e-2); }

TEST(row_updates_touch_their_rows_only) {
  for (Update update : {Update::kSgd, Update::kAdagrad}) {
    Arrays<float> all(15);
    Arrays<float> rows(15);
    const std::vector<float> gradient = {1, 2, 3, -1, 0.5, 0};
    all.data[4] = {0, 0, 0, -1, 0.5, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0};
    cpu::run_update(update, DType::kFloat32, all.pointers(), kNumbers);
    cpu::UpdateArrays arrays = rows.pointers();
    arrays.gradient = gradient.data();
    const std::vector<int64_t> places = {3, 1};
    cpu::run_row_update(update, DType::kFloat32, arrays, kNumbers, places, 3);
    for (size_t k = 0; k < 2; ++k) {
      for (size_t i = 0; i < 15; ++i) CHECK_NEAR(rows.data[k][i], all.data[k][i], 1e-6);
    }
  }
}

// Rows get what a whole update gives them, slots too, in every dtype.
template <class T>
void check_row_updates() {
  constexpr int64_t kRow = 37, kRows = 6;
  const std::vector<int64_t> places = {4, 0, 5};
  for (int kind = 0; kind < static_cast<int>(Update::kCount); ++kind) {
    const auto update = static_cast<Update>(kind);
    const Arrays<T> before(kRow * kRows);
    Arrays<T> whole(kRow * kRows), rows(kRow * kRows);
    cpu::run_update(update, kDTypeOf<T>, whole.pointers(), kNumbers);
    std::vector<T> gradient;
    for (const int64_t row : places) {
      const auto from = before.data[4].begin() + row * kRow;
      gradient.insert(gradient.end(), from, from + kRow);
    }
    cpu::UpdateArrays arrays = rows.pointers();
    arrays.gradient = gradient.data();
    cpu::run_row_update(update, kDTypeOf<T>, arrays, kNumbers, places, kRow);
    for (size_t k = 0; k < 4; ++k) {
      for (int64_t i = 0; i < kRow * kRows; ++i) {
        const bool touched = std::ranges::count(places, i / kRow) > 0;
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
  const std::vector<int64_t> places = {1, 1};
  cpu::run_row_update(Update::kSgd, DType::kFloat32, arrays, kNumbers, places, 2);
  CHECK_EQUAL(w[0], 1.0f);
  CHECK_NEAR(w[2], 1 - 0.1 * 11, 1e-6);
  CHECK_NEAR(w[3], 1 - 0.1 * 22, 1e-6);
}

TEST(optimizer_updates_need_floats) {
  CHECK_THROWS(Code::kInvalidArgument, "int32",
               cpu::run_update(Update::kSgd, DType::kInt32, {}, kNumbers));
}

}  // namespace
}  // namespace ef
