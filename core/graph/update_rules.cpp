// Optimizers' update rules as operations.
#include "graph/update_rules.h"

#include <variant>

#include "eager/variable.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"

namespace ef::graph {
namespace {

// A hyperparameter: known, or a scalar of the graph.
class Number {
 public:
  Number(double known, Tensor late) : known_(known), late_(std::move(late)) {}
  // x to the power of minus this number.
  Tensor inverse_power(const Tensor& x) const {
    if (!late_ && known_ == -0.5) return call(ops::sqrt, {x});
    const Tensor exponent = late_ ? -late_ : cast_to(Tensor::of<double>(-known_), x.dtype());
    return call(ops::pow, {x, exponent});
  }
  friend Tensor operator*(const Number& a, const Tensor& b) {
    return a.late_ ? a.late_ * b : b * a.known_;
  }
  friend Tensor operator+(const Tensor& a, const Number& b) {
    return b.late_ ? a + b.late_ : a + b.known_;
  }
  Number complement() const {
    return late_ ? Number(0, 1.0 - late_) : Number(1 - known_, Tensor());
  }
  friend Tensor operator/(const Tensor& a, const Number& b) {
    return b.late_ ? a / b.late_ : a / b.known_;
  }

 private:
  double known_;
  Tensor late_;
};

Tensor sqrt(const Tensor& x) { return call(ops::sqrt, {x}); }
Tensor larger(const Tensor& x, const Tensor& y) { return call(ops::maximum, {x, y}); }

// The values that a rule reads and writes, in the dtype of the arithmetic.
struct State {
  Tensor g, w;
  Tensor slots[cpu::kMaxSlots];
};

class Rules {
 public:
  Rules(std::span<const Tensor> late, State& state) : late_(late), s_(state) {}

  void operator()(const cpu::GradientDescentStep& p) const {
    s_.w = s_.w - number(0, p.learning_rate) * s_.g;
  }
  void operator()(const cpu::MomentumStep& p) const {
    const Number rate = number(0, p.learning_rate), momentum = number(1, p.momentum);
    Tensor& m = s_.slots[0];
    m = momentum * m - rate * s_.g;
    s_.w = p.nesterov ? s_.w + momentum * m - rate * s_.g : s_.w + m;
  }
  void operator()(const cpu::AdamStep& p) const {
    Tensor &m = s_.slots[0], &v = s_.slots[1], &largest = s_.slots[2];
    m = m + number(1, p.beta_1).complement() * (s_.g - m);
    v = v + number(2, p.beta_2).complement() * (s_.g * s_.g - v);
    if (largest) largest = larger(v, largest);
    s_.w = s_.w -
           number(0, p.learning_rate) * m / (sqrt(largest ? largest : v) + number(3, p.epsilon));
  }
  void operator()(const cpu::AdamaxStep& p) const {
    Tensor &m = s_.slots[0], &u = s_.slots[1];
    m = m + number(1, p.beta_1).complement() * (s_.g - m);
    u = larger(number(2, p.beta_2) * u, call(ops::abs, {s_.g}));
    s_.w = s_.w - number(0, p.learning_rate) * m / (u + number(3, p.epsilon));
  }
  void operator()(const cpu::NadamStep& p) const {
    Tensor &m = s_.slots[0], &v = s_.slots[1];
    m = m + number(2, p.beta_1).complement() * (s_.g - m);
    v = v + number(3, p.beta_2).complement() * (s_.g * s_.g - v);
    const Tensor step = number(0, p.momentum_rate) * m + number(1, p.gradient_rate) * s_.g;
    s_.w = s_.w - step / (sqrt(v) + number(4, p.epsilon));
  }
  void operator()(const cpu::RMSpropStep& p) const {
    const Number rho = number(1, p.rho), rest = rho.complement();
    Tensor &v = s_.slots[0], &m = s_.slots[1], &mean = s_.slots[2];
    v = rho * v + rest * s_.g * s_.g;
    if (mean) mean = rho * mean + rest * s_.g;
    const Tensor spread = v + number(3, p.epsilon);
    Tensor delta = number(0, p.learning_rate) * s_.g / sqrt(mean ? spread - mean * mean : spread);
    if (m) delta = m = number(2, p.momentum) * m + delta;
    s_.w = s_.w - delta;
  }
  void operator()(const cpu::AdagradStep& p) const {
    Tensor& sum = s_.slots[0];
    sum = sum + s_.g * s_.g;
    s_.w = s_.w - number(0, p.learning_rate) * s_.g / sqrt(sum + number(1, p.epsilon));
  }
  void operator()(const cpu::AdadeltaStep& p) const {
    const Number rho = number(1, p.rho), rest = rho.complement(), epsilon = number(2, p.epsilon);
    Tensor &squares = s_.slots[0], &deltas = s_.slots[1];
    squares = rho * squares + rest * (s_.g * s_.g);
    const Tensor delta = s_.g * sqrt(deltas + epsilon) / sqrt(squares + epsilon);
    deltas = rho * deltas + rest * (delta * delta);
    s_.w = s_.w - number(0, p.learning_rate) * delta;
  }
  void operator()(const cpu::FtrlStep& p) const {
    const Number rate = number(0, p.learning_rate), l1 = number(2, p.l1), l2 = number(3, p.l2);
    Tensor &sum = s_.slots[0], &linear = s_.slots[1];
    const Number power = number(1, p.learning_rate_power);
    const Tensor fresh = sum + s_.g * s_.g;
    const Tensor scale = power.inverse_power(fresh);
    const Tensor sigma = (scale - power.inverse_power(sum)) / rate;
    linear = linear + s_.g + number(4, p.l2_shrinkage) * (s_.w * 2.0) - sigma * s_.w;
    const Tensor one = cast_to(Tensor::of<double>(1), linear.dtype());
    const Tensor bound = l1 * one;
    const Tensor clipped = call(ops::clip_by_value, {linear, -bound, bound});
    s_.w = (clipped - linear) / (scale / rate + l2 * (one * 2.0));
    sum = fresh;
  }
  void operator()(const cpu::LionStep& p) const {
    const Number beta_1 = number(1, p.beta_1), beta_2 = number(2, p.beta_2);
    Tensor& m = s_.slots[0];
    const Tensor direction = beta_1 * m + beta_1.complement() * s_.g;
    s_.w = s_.w - number(0, p.learning_rate) * call(ops::sign, {direction});
    m = beta_2 * m + beta_2.complement() * s_.g;
  }
  void operator()(const cpu::WeightDecayStep& p) const { s_.w = s_.w - number(0, p.rate) * s_.w; }
  void operator()(const cpu::MovingAverageStep& p) const {
    const Number momentum = number(0, p.momentum);
    s_.w = momentum * s_.w + momentum.complement() * s_.g;
  }

 private:
  Number number(size_t k, double known) const {
    Tensor late = k < late_.size() ? late_[k] : Tensor();
    if (late) late = cast_to(reshape_to(late, {}), s_.w.dtype());
    return {known, std::move(late)};
  }

  std::span<const Tensor> late_;
  State& s_;
};

}  // namespace

TensorList updated_values(const cpu::OptimizerStep& step, std::span<const Tensor> numbers,
                          const UpdateValues& old) {
  const DType dtype = old.variable.dtype();
  const DType wide = dtype == DType::kFloat64 ? dtype : DType::kFloat32;
  const auto widened = [&](const Tensor& value) { return value ? cast_to(value, wide) : value; };
  State state;
  state.w = widened(old.variable);
  for (int k = 0; k < cpu::kMaxSlots; ++k) state.slots[k] = widened(old.slots[k]);
  state.g = widened(old.gradient);
  if (state.g && !old.rows && state.g.shape() != state.w.shape() && state.w.shape().fully_known()) {
    state.g = reshape_to(state.g, state.w.shape());
  }
  const State whole = state;
  // Rules that are not linear in the gradient change these rows alone, and none of them twice.
  const bool some_rows =
      old.rows && !old.every_row && !std::holds_alternative<cpu::GradientDescentStep>(step);
  Tensor indices;
  if (old.rows) indices = call(ops::expand_dims, {old.rows}, ops::ExpandDimsAttrs{.axis = 1});
  if (some_rows) {
    const auto select = [&](Tensor& value) {
      if (value) value = call(ops::gather, {value, old.rows}, ops::GatherAttrs{});
    };
    select(state.w);
    for (Tensor& slot : state.slots) select(slot);
  } else if (old.rows) {
    const Tensor zeros = state.w * 0.0;
    state.g = call(ops::tensor_scatter_nd_add, {zeros, indices, state.g});
  }
  std::visit(Rules(numbers, state), step);
  if (some_rows) {
    const auto put_back = [&](const Tensor& before, Tensor& rows) {
      if (rows) rows = call(ops::tensor_scatter_nd_update, {before, indices, rows});
    };
    put_back(whole.w, state.w);
    for (int k = 0; k < cpu::kMaxSlots; ++k) put_back(whole.slots[k], state.slots[k]);
  }
  TensorList results{cast_to(state.w, dtype)};
  for (int k = 0; k < cpu::kMaxSlots; ++k) {
    if (old.slots[k]) results.push_back(cast_to(state.slots[k], dtype));
  }
  return results;
}

void add_rule(const cpu::OptimizerStep& step, std::span<const Tensor> numbers,
              const UpdateTarget& target) {
  UpdateValues values{target.variable->read(), {}, target.gradient, target.rows, target.every_row};
  for (int k = 0; k < cpu::kMaxSlots; ++k) {
    if (target.slots[k]) values.slots[k] = target.slots[k]->read();
  }
  const TensorList results = updated_values(step, numbers, values);
  target.variable->assign(results[0]);
  size_t next = 1;
  for (int k = 0; k < cpu::kMaxSlots; ++k) {
    if (target.slots[k]) target.slots[k]->assign(results[next++]);
  }
}

}  // namespace ef::graph
