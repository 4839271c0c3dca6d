// Recurrent layers: loops over the steps of sequences, inside the program.
#include "ops/recurrent.h"
#include "lower/rule.h"

namespace ef::lower {
namespace {

// An activation, and its derivative as a function of its result.
Value activated(Builder& b, Activation activation, const Value& x) {
  switch (activation) {
    case Activation::kTanh: return b.unary("stablehlo.tanh", x);
    case Activation::kRelu: return b.max(x, b.like(x, 0));
    case Activation::kSigmoid: return b.unary("stablehlo.logistic", x);
    case Activation::kLinear: break;
  }
  return x;
}
Value slope(Builder& b, Activation activation, const Value& y) {
  switch (activation) {
    case Activation::kTanh: return b.sub(b.like(y, 1), b.mul(y, y));
    case Activation::kRelu: return b.convert(b.compare("GT", y, b.like(y, 0)), y.dtype);
    case Activation::kSigmoid: return b.mul(y, b.sub(b.like(y, 1), y));
    case Activation::kLinear: break;
  }
  return b.like(y, 1);
}

Value activated(Builder& b, GateActivation activation, const Value& x) {
  if (activation == GateActivation::kSigmoid) return activated(b, Activation::kSigmoid, x);
  const Value y = b.add(b.mul(x, b.like(x, 0.2)), b.like(x, 0.5));
  return b.max(b.min(y, b.like(y, 1)), b.like(y, 0));
}
Value slope(Builder& b, GateActivation activation, const Value& y) {
  if (activation == GateActivation::kSigmoid) return slope(b, Activation::kSigmoid, y);
  const Value inside =
      b.logical_and(b.compare("GT", y, b.like(y, 0)), b.compare("LT", y, b.like(y, 1)));
  return b.select(inside, b.like(y, 0.2), b.like(y, 0));
}

// Splits a value of rank 2 into equal parts along its columns.
Values parts(Builder& b, const Value& x, int64_t count) {
  const int64_t rows = x.shape[0], size = x.shape[1] / count;
  Values result;
  for (int64_t k = 0; k < count; ++k) {
    result.push_back(b.slice(x, Dims{0, k * size}, Dims{rows, (k + 1) * size}));
  }
  return result;
}

Value product(Builder& b, const Value& x, const Value& y) {
  return b.dot(x, y, {}, {}, Dims{1}, Dims{0});
}
// x times the transposed y.
Value product_transposed(Builder& b, const Value& x, const Value& y) {
  return b.dot(x, y, {}, {}, Dims{1}, Dims{1});
}

// The loop over the steps of a call.
class Steps {
 public:
  // `mask` is [steps, batch], or null.
  Steps(Builder& b, int64_t count, const Value* mask) : b_(b), count_(count), mask_(mask) {}

  // The values of the current step, from those of all steps.
  Value at(const Value& all) const { return at(all, step_); }
  // The values of the previous step; `first` before the first step.
  Value before(const Value& all, const Value& first) const {
    const Value none = b_.compare("EQ", step_, b_.like(step_, 0));
    const Value previous = at(all, b_.max(b_.sub(step_, b_.like(step_, 1)), b_.like(step_, 0)));
    return b_.select(b_.broadcast(none, first.shape), first, previous);
  }
  // x where the mask includes the current step of a sequence, else y.
  Value where_present(const Value& x, const Value& y) const {
    if (!mask_) return x;
    return b_.select(b_.broadcast_in_dim(at(*mask_), x.shape, Dims{0}), x, y);
  }

  // Calls `body` for each step with the carried values. It returns their next values, then the
  // outputs of the step. Results: the last carried values, then the outputs of all steps.
  template <class Body>
  Values run(bool backwards, const Values& carried, std::span<const Shape> given,
             const Body& body) {
    Values start{b_.full_int(DType::kInt64, {}, 0)};
    start.insert(start.end(), carried.begin(), carried.end());
    for (const Shape& shape : given) {
      Shape all{count_};
      for (const int64_t size : shape) all.push_back(size);
      start.push_back(b_.full(carried[0].dtype, all, 0));
    }
    std::vector<TensorSpec> specs;
    for (const Value& value : start) specs.push_back(value.spec());
    const size_t kept = carried.size() + 1;
    const std::string regions[] = {
        b_.region(specs,
                  [&](const Values& a) {
                    return Values{b_.compare("LT", a[0], b_.like(a[0], double(count_)))};
                  }),
        b_.region(specs, [&](const Values& a) {
          step_ = backwards ? b_.sub(b_.like(a[0], double(count_ - 1)), a[0]) : a[0];
          Values next = body(Values(a.begin() + 1, a.begin() + static_cast<int64_t>(kept)));
          next.insert(next.begin(), b_.add(a[0], b_.like(a[0], 1)));
          for (size_t k = kept; k < next.size(); ++k) {
            Shape row{1};
            for (const int64_t size : next[k].shape) row.push_back(size);
            next[k] = b_.dynamic_update_slice(a[k], b_.reshape(next[k], row), starts(row.rank()));
          }
          return next;
        })};
    Values results = b_.op("stablehlo.while", start, {}, specs, regions);
    results.erase(results.begin());
    return results;
  }

 private:
  Value at(const Value& all, const Value& step) const {
    Dims sizes(all.shape.begin(), all.shape.end());
    sizes[0] = 1;
    Values places = starts(all.rank());
    places[0] = step;
    const Shape shape(std::span<const int64_t>(sizes).subspan(1));
    return b_.reshape(b_.dynamic_slice(all, places, sizes), shape);
  }
  Values starts(int rank) const {
    Values places{step_};
    while (static_cast<int>(places.size()) < rank) {
      places.push_back(b_.full_int(DType::kInt64, {}, 0));
    }
    return places;
  }

  Builder& b_;
  int64_t count_;
  const Value* mask_;
  Value step_;
};

Steps steps_of(const Call& c, const Value& all, size_t mask) {
  return {c.b, all.shape[0], c.in.size() > mask ? &c.in[mask] : nullptr};
}

Values lstm(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::GatedRnnAttrs>();
  const Value& projection = c.in[0];
  const Value& kernel = c.in[3];
  const Shape state = c.in[1].shape;
  Steps steps = steps_of(c, projection, 4);
  const Shape given[] = {state, state, {state[0], 4 * state[1]}};
  const Values r = steps.run(false, {c.in[1], c.in[2]}, given, [&](const Values& before) {
    const Value sums = b.add(steps.at(projection), product(b, before[0], kernel));
    Values gates = parts(b, sums, 4);
    for (size_t k = 0; k < 4; ++k) {
      gates[k] = k == 2 ? activated(b, attrs.activation, gates[k])
                        : activated(b, attrs.recurrent_activation, gates[k]);
    }
    const Value cell = steps.where_present(
        b.add(b.mul(gates[1], before[1]), b.mul(gates[0], gates[2])), before[1]);
    const Value h =
        steps.where_present(b.mul(gates[3], activated(b, attrs.activation, cell)), before[0]);
    return Values{h, cell, h, cell, b.concat(gates, 1)};
  });
  return {r[2], r[0], r[1], r[3], r[4]};
}

// The gradient that arrives at the states of a step; an empty tensor represents zeros.
Value arriving(const Call& c, const Steps& steps, const Value& dh) {
  return c.in[0].shape.num_elements() == 0 ? dh : c.b.add(dh, steps.at(c.in[0]));
}
Value or_zeros(Builder& b, const Value& gradient, const Value& like) {
  return gradient.shape == like.shape ? gradient : b.like(like, 0);
}
// The gradient of the recurrent matrix: the states before each step, transposed, times `inner`.
Value matrix_gradient(Builder& b, const Value& first, const Value& states, const Value& inner) {
  const int64_t steps = states.shape[0], batch = states.shape[1], units = states.shape[2];
  const Value start = b.reshape(first, {1, batch, units});
  const Value others = b.slice(states, Dims{0, 0, 0}, Dims{steps - 1, batch, units});
  const Value before[] = {start, others};
  return b.dot(b.concat(before, 0), inner, {}, {}, Dims{0, 1}, Dims{0, 1});
}

Values lstm_grad(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::GatedRnnAttrs>();
  const Value &states = c.in[3], &cells = c.in[4], &gates = c.in[5], &kernel = c.in[8];
  const Value &h = c.in[6], &cell = c.in[7];
  Steps steps = steps_of(c, states, 9);
  const Shape given[] = {{h.shape[0], 4 * h.shape[1]}};
  const Values start{or_zeros(b, c.in[1], h), or_zeros(b, c.in[2], cell)};
  const Values r = steps.run(true, start, given, [&](const Values& after) {
    const Value dh = arriving(c, steps, after[0]);
    const Values g = parts(b, steps.at(gates), 4);
    const Value value = activated(b, attrs.activation, steps.at(cells));
    const Value dc = b.add(after[1], b.mul(b.mul(dh, g[3]), slope(b, attrs.activation, value)));
    const auto through_gate = [&](const Value& d, const Value& gate) {
      return b.mul(d, slope(b, attrs.recurrent_activation, gate));
    };
    const Value dgates[] = {through_gate(b.mul(dc, g[2]), g[0]),
                            through_gate(b.mul(dc, steps.before(cells, cell)), g[1]),
                            b.mul(b.mul(dc, g[0]), slope(b, attrs.activation, g[2])),
                            through_gate(b.mul(dh, value), g[3])};
    const Value all = b.concat(dgates, 1);
    const Value d = steps.where_present(all, b.like(all, 0));
    return Values{steps.where_present(product_transposed(b, d, kernel), dh),
                  steps.where_present(b.mul(dc, g[1]), after[1]), d};
  });
  return {r[2], r[0], r[1], matrix_gradient(b, h, states, r[2])};
}

Values gru(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::GatedRnnAttrs>();
  const Value &projection = c.in[0], &kernel = c.in[2];
  const Shape state = c.in[1].shape;
  const Value bias = b.broadcast(c.in[3], {state[0], 3 * state[1]});
  Steps steps = steps_of(c, projection, 4);
  const Shape given[] = {state, {state[0], 4 * state[1]}};
  const Values r = steps.run(false, {c.in[1]}, given, [&](const Values& before) {
    const Values x = parts(b, steps.at(projection), 3);
    const Values inner = parts(b, b.add(product(b, before[0], kernel), bias), 3);
    const Value z = activated(b, attrs.recurrent_activation, b.add(x[0], inner[0]));
    const Value reset = activated(b, attrs.recurrent_activation, b.add(x[1], inner[1]));
    const Value g = activated(b, attrs.activation, b.add(x[2], b.mul(reset, inner[2])));
    const Value h = steps.where_present(b.add(g, b.mul(z, b.sub(before[0], g))), before[0]);
    const Value gates[] = {z, reset, g, inner[2]};
    const Value all = b.concat(gates, 1);
    return Values{h, h, steps.where_present(all, b.like(all, 0))};
  });
  return {r[1], r[0], r[2]};
}

Values gru_grad(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::GatedRnnAttrs>();
  const Value &states = c.in[2], &gates = c.in[3], &h = c.in[4], &kernel = c.in[5];
  Steps steps = steps_of(c, states, 6);
  const Shape wide{h.shape[0], 3 * h.shape[1]};
  const Shape given[] = {wide, wide};
  const Values r = steps.run(true, {or_zeros(b, c.in[1], h)}, given, [&](const Values& after) {
    const Value dh = arriving(c, steps, after[0]);
    const Values g = parts(b, steps.at(gates), 4);
    const Value rest = b.sub(b.like(g[0], 1), g[0]);
    const Value dz = b.mul(b.mul(dh, b.sub(steps.before(states, h), g[2])),
                           slope(b, attrs.recurrent_activation, g[0]));
    const Value dg = b.mul(b.mul(dh, rest), slope(b, attrs.activation, g[2]));
    const Value dr = b.mul(b.mul(dg, g[3]), slope(b, attrs.recurrent_activation, g[1]));
    const Value outer_parts[] = {dz, dr, dg}, inner_parts[] = {dz, dr, b.mul(dg, g[1])};
    const auto present = [&](const Value& x) { return steps.where_present(x, b.like(x, 0)); };
    const Value outer = present(b.concat(outer_parts, 1));
    const Value inner = present(b.concat(inner_parts, 1));
    const Value direct = steps.where_present(b.mul(dh, g[0]), dh);
    return Values{b.add(direct, product_transposed(b, inner, kernel)), outer, inner};
  });
  return {r[1], r[0], matrix_gradient(b, h, states, r[2]),
          b.reduce(Reduction::kAdd, r[2], Dims{0, 1})};
}

Values simple_rnn(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::SimpleRnnAttrs>();
  Steps steps = steps_of(c, c.in[0], 3);
  const Shape given[] = {c.in[1].shape};
  const Values r = steps.run(false, {c.in[1]}, given, [&](const Values& before) {
    const Value sum = b.add(steps.at(c.in[0]), product(b, before[0], c.in[2]));
    const Value h = steps.where_present(activated(b, attrs.activation, sum), before[0]);
    return Values{h, h};
  });
  return {r[1], r[0]};
}

Values simple_rnn_grad(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::SimpleRnnAttrs>();
  const Value &states = c.in[2], &h = c.in[3], &kernel = c.in[4];
  Steps steps = steps_of(c, states, 5);
  const Shape given[] = {h.shape};
  const Values r = steps.run(true, {or_zeros(b, c.in[1], h)}, given, [&](const Values& after) {
    const Value dh = arriving(c, steps, after[0]);
    const Value inner = b.mul(dh, slope(b, attrs.activation, steps.at(states)));
    const Value d = steps.where_present(inner, b.like(inner, 0));
    return Values{steps.where_present(product_transposed(b, d, kernel), dh), d};
  });
  return {r[1], r[0], matrix_gradient(b, h, states, r[1])};
}

constexpr std::pair<const char*, Rule> kRecurrentRules[] = {
    {"lstm", lstm},         {"lstm_grad", lstm_grad},   {"gru", gru},
    {"gru_grad", gru_grad}, {"simple_rnn", simple_rnn}, {"simple_rnn_grad", simple_rnn_grad},
};

}  // namespace

RuleList recurrent_rules() { return kRecurrentRules; }

}  // namespace ef::lower
