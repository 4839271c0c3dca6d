// The formulas of the optimizers, for each file that instantiates them in its own namespace.
//
// In every formula g is an element of the gradient and w one of the variable; all others are slots.
// T is the dtype in memory, C that of the arithmetic.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "kernels/cpu/optimizers.h"

namespace ef::cpu::EF_ISA {
namespace {

template <class C, class T, class Rule, class... Slots>
inline void update_element(const Rule& rule, const T& gradient, T& variable, Slots&... slots) {
  const auto update = [&](C w, auto... states) {
    rule(static_cast<C>(gradient), w, states...);
    variable = static_cast<T>(w);
    ((slots = static_cast<T>(states)), ...);
  };
  update(static_cast<C>(variable), static_cast<C>(slots)...);
}

// Calls rule(g, w, slots...) for each element, with the slots of these indices.
template <class T, class C, size_t... slot, class Rule>
void for_elements(const UpdateArrays& arrays, int64_t begin, int64_t end, const Rule& rule) {
  auto* const variable = static_cast<T*>(arrays.variable);
  const auto* const gradient = static_cast<const T*>(arrays.gradient);
  [[maybe_unused]] T* const slots[] = {static_cast<T*>(arrays.slots[0]),
                                       static_cast<T*>(arrays.slots[1]),
                                       static_cast<T*>(arrays.slots[2])};
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    update_element<C>(rule, gradient[i], variable[i], slots[slot][i]...);
  }
}

template <class T, class C>
void update(const GradientDescentStep& step, const UpdateArrays& arrays, int64_t begin,
            int64_t end) {
  const auto learning_rate = static_cast<C>(step.learning_rate);
  for_elements<T, C>(arrays, begin, end, [=](C g, C& w) { w -= learning_rate * g; });
}

// Sutskever et al., "On the importance of initialization and momentum in deep learning" (ICML
// 2013), with the learning rate inside the momentum.
template <class T, class C>
void update(const MomentumStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto learning_rate = static_cast<C>(step.learning_rate);
  const auto momentum = static_cast<C>(step.momentum);
  if (step.nesterov) {
    for_elements<T, C, 0>(arrays, begin, end, [=](C g, C& w, C& m) {
      m = momentum * m - learning_rate * g;
      w = w + momentum * m - learning_rate * g;
    });
  } else {
    for_elements<T, C, 0>(arrays, begin, end, [=](C g, C& w, C& m) {
      m = momentum * m - learning_rate * g;
      w += m;
    });
  }
}

// Kingma and Ba, "Adam: a method for stochastic optimization" (ICLR 2015), in the form at the end
// of section 2. AMSGrad: Reddi et al., "On the convergence of Adam and beyond" (ICLR 2018).
// m += (g - m)(1 - beta_1) is the paper's m = beta_1 m + (1 - beta_1) g, and so for v.
template <class T, class C>
void update(const AdamStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto learning_rate = static_cast<C>(step.learning_rate);
  const auto one_minus_beta_1 = static_cast<C>(1 - step.beta_1);
  const auto one_minus_beta_2 = static_cast<C>(1 - step.beta_2);
  const auto epsilon = static_cast<C>(step.epsilon);
  const bool amsgrad = arrays.slots[2];
  if (amsgrad) {
    for_elements<T, C, 0, 1, 2>(arrays, begin, end, [=](C g, C& w, C& m, C& v, C& v_max) {
      m += (g - m) * one_minus_beta_1;
      v += (g * g - v) * one_minus_beta_2;
      v_max = v > v_max ? v : v_max;
      w -= learning_rate * m / (std::sqrt(v_max) + epsilon);
    });
  } else {
    for_elements<T, C, 0, 1>(arrays, begin, end, [=](C g, C& w, C& m, C& v) {
      m += (g - m) * one_minus_beta_1;
      v += (g * g - v) * one_minus_beta_2;
      w -= learning_rate * m / (std::sqrt(v) + epsilon);
    });
  }
}

// Kingma and Ba (ICLR 2015), section 7.1.
template <class T, class C>
void update(const AdamaxStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto learning_rate = static_cast<C>(step.learning_rate);
  const auto one_minus_beta_1 = static_cast<C>(1 - step.beta_1);
  const auto beta_2 = static_cast<C>(step.beta_2);
  const auto epsilon = static_cast<C>(step.epsilon);
  for_elements<T, C, 0, 1>(arrays, begin, end, [=](C g, C& w, C& m, C& u) {
    const C magnitude = g < 0 ? -g : g;
    const C decayed = beta_2 * u;
    m += (g - m) * one_minus_beta_1;
    u = decayed > magnitude ? decayed : magnitude;
    w -= learning_rate * m / (u + epsilon);
  });
}

// Dozat, "Incorporating Nesterov momentum into Adam" (ICLR 2016 workshop).
template <class T, class C>
void update(const NadamStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto momentum_rate = static_cast<C>(step.momentum_rate);
  const auto gradient_rate = static_cast<C>(step.gradient_rate);
  const auto one_minus_beta_1 = static_cast<C>(1 - step.beta_1);
  const auto one_minus_beta_2 = static_cast<C>(1 - step.beta_2);
  const auto epsilon = static_cast<C>(step.epsilon);
  for_elements<T, C, 0, 1>(arrays, begin, end, [=](C g, C& w, C& m, C& v) {
    m += (g - m) * one_minus_beta_1;
    v += (g * g - v) * one_minus_beta_2;
    w -= (momentum_rate * m + gradient_rate * g) / (std::sqrt(v) + epsilon);
  });
}

// Tieleman and Hinton, "Lecture 6.5: rmsprop" (2012); centered: Graves, "Generating sequences with
// recurrent neural networks" (2013), section 4.2.
template <class T, class C>
void update(const RMSpropStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto learning_rate = static_cast<C>(step.learning_rate);
  const auto rho = static_cast<C>(step.rho);
  const auto momentum = static_cast<C>(step.momentum);
  const auto epsilon = static_cast<C>(step.epsilon);
  const auto plain = [=](C g, C& v) {
    v = rho * v + (C(1) - rho) * g * g;
    return learning_rate * g / std::sqrt(v + epsilon);
  };
  const auto centered = [=](C g, C& v, C& mean) {
    v = rho * v + (C(1) - rho) * g * g;
    mean = rho * mean + (C(1) - rho) * g;
    return learning_rate * g / std::sqrt(v + epsilon - mean * mean);
  };
  const auto accumulated = [=](C delta, C& m) { return m = momentum * m + delta; };
  const bool has_momentum = arrays.slots[1];
  const bool is_centered = arrays.slots[2];
  if (has_momentum && is_centered) {
    for_elements<T, C, 0, 1, 2>(arrays, begin, end, [=](C g, C& w, C& v, C& m, C& mean) {
      w -= accumulated(centered(g, v, mean), m);
    });
  } else if (has_momentum) {
    for_elements<T, C, 0, 1>(arrays, begin, end,
                             [=](C g, C& w, C& v, C& m) { w -= accumulated(plain(g, v), m); });
  } else if (is_centered) {
    for_elements<T, C, 0, 2>(arrays, begin, end,
                             [=](C g, C& w, C& v, C& mean) { w -= centered(g, v, mean); });
  } else {
    for_elements<T, C, 0>(arrays, begin, end, [=](C g, C& w, C& v) { w -= plain(g, v); });
  }
}

// Duchi et al., "Adaptive subgradient methods for online learning and stochastic optimization"
// (JMLR 12, 2011).
template <class T, class C>
void update(const AdagradStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto learning_rate = static_cast<C>(step.learning_rate);
  const auto epsilon = static_cast<C>(step.epsilon);
  for_elements<T, C, 0>(arrays, begin, end, [=](C g, C& w, C& sum) {
    sum += g * g;
    w -= learning_rate * g / std::sqrt(sum + epsilon);
  });
}

// Zeiler, "ADADELTA: an adaptive learning rate method" (2012).
template <class T, class C>
void update(const AdadeltaStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto learning_rate = static_cast<C>(step.learning_rate);
  const auto rho = static_cast<C>(step.rho);
  const auto one_minus_rho = static_cast<C>(1 - step.rho);
  const auto epsilon = static_cast<C>(step.epsilon);
  for_elements<T, C, 0, 1>(arrays, begin, end, [=](C g, C& w, C& g2_mean, C& delta2_mean) {
    g2_mean = g2_mean * rho + g * g * one_minus_rho;
    const C delta = g * std::sqrt(delta2_mean + epsilon) / std::sqrt(g2_mean + epsilon);
    delta2_mean = delta2_mean * rho + delta * delta * one_minus_rho;
    w -= delta * learning_rate;
  });
}

template <class T, class C, class Power>
void ftrl_update(const FtrlStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end,
                 const Power& power) {
  const auto inverse_rate = static_cast<C>(1 / step.learning_rate);
  const auto l1 = static_cast<C>(step.l1);
  const auto twice_l2 = static_cast<C>(2 * step.l2);
  const auto twice_shrinkage = static_cast<C>(2 * step.l2_shrinkage);
  for_elements<T, C, 0, 1>(arrays, begin, end, [=](C g, C& w, C& sum, C& linear) {
    const C new_sum = sum + g * g;
    const C scale = power(new_sum);
    const C sigma = (scale - power(sum)) * inverse_rate;
    linear = linear + g + twice_shrinkage * w - sigma * w;
    const C above = linear < -l1 ? -l1 : linear;
    const C clipped = above > l1 ? l1 : above;
    w = (clipped - linear) / (scale * inverse_rate + twice_l2);
    sum = new_sum;
  });
}

// McMahan et al., "Ad click prediction: a view from the trenches" (KDD 2013).
template <class T, class C>
void update(const FtrlStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  if (step.learning_rate_power == -0.5) {
    ftrl_update<T, C>(step, arrays, begin, end, [](C x) { return std::sqrt(x); });
  } else {
    const auto exponent = static_cast<C>(-step.learning_rate_power);
    ftrl_update<T, C>(step, arrays, begin, end, [=](C x) { return std::pow(x, exponent); });
  }
}

// Chen et al., "Symbolic discovery of optimization algorithms" (2023).
template <class T, class C>
void update(const LionStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto learning_rate = static_cast<C>(step.learning_rate);
  const auto beta_1 = static_cast<C>(step.beta_1);
  const auto beta_2 = static_cast<C>(step.beta_2);
  const auto one_minus_beta_1 = static_cast<C>(1 - step.beta_1);
  const auto one_minus_beta_2 = static_cast<C>(1 - step.beta_2);
  for_elements<T, C, 0>(arrays, begin, end, [=](C g, C& w, C& m) {
    const C direction = m * beta_1 + g * one_minus_beta_1;
    // The sign; that of NaN is NaN.
    const C not_positive = direction < 0 ? C(-1) : direction;
    w -= learning_rate * (direction > 0 ? C(1) : not_positive);
    m = m * beta_2 + g * one_minus_beta_2;
  });
}

// Loshchilov and Hutter, "Decoupled weight decay regularization" (ICLR 2019).
template <class T, class C>
void update(const WeightDecayStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto rate = static_cast<C>(step.rate);
  for_elements<T, C>(arrays, begin, end, [=](C, C& w) { w -= w * rate; });
}

template <class T, class C>
void update(const MovingAverageStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  const auto momentum = static_cast<C>(step.momentum);
  const auto one_minus_momentum = static_cast<C>(1 - step.momentum);
  for_elements<T, C>(arrays, begin, end, [=](C value, C& average) {
    average = average * momentum + value * one_minus_momentum;
  });
}

template <class T, class C>
void run(const OptimizerStep& step, const UpdateArrays& arrays, int64_t begin, int64_t end) {
  std::visit([&](const auto& one) { update<T, C>(one, arrays, begin, end); }, step);
}

}  // namespace
}  // namespace ef::cpu::EF_ISA
