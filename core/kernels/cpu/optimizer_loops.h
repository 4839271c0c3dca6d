// The loops of the optimizer updates, for each file that instantiates them in its own namespace.
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>

#include "kernels/cpu/optimizers.h"

namespace ef::cpu::EF_ISA {
namespace {

// T is the type in memory, C the type of the arithmetic.
template <class T, class C>
void sgd(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) w[i] = static_cast<T>(C(w[i]) - rate * C(g[i]));
}

template <class T, class C>
void momentum(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin,
              int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* m = static_cast<T*>(arrays.slots[0]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
  const C decay = static_cast<C>(numbers.momentum);
  const C ahead = numbers.nesterov ? decay : C(1);
  const C direct = numbers.nesterov ? rate : C(0);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const C velocity = decay * C(m[i]) - rate * C(g[i]);
    m[i] = static_cast<T>(velocity);
    w[i] = static_cast<T>(C(w[i]) + ahead * velocity - direct * C(g[i]));
  }
}

template <class T, class C>
void adam(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* m = static_cast<T*>(arrays.slots[0]);
  auto* v = static_cast<T*>(arrays.slots[1]);
  auto* top = static_cast<T*>(arrays.slots[2]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
  const C one_minus_beta1 = static_cast<C>(1 - numbers.beta1);
  const C one_minus_beta2 = static_cast<C>(1 - numbers.beta2);
  const C epsilon = static_cast<C>(numbers.epsilon);
  if (top) {
    for (int64_t i = begin; i < end; ++i) {
      const C grad = g[i];
      const C mean = C(m[i]) + (grad - C(m[i])) * one_minus_beta1;
      const C square = C(v[i]) + (grad * grad - C(v[i])) * one_minus_beta2;
      const C highest = square > C(top[i]) ? square : C(top[i]);
      m[i] = static_cast<T>(mean);
      v[i] = static_cast<T>(square);
      top[i] = static_cast<T>(highest);
      w[i] = static_cast<T>(C(w[i]) - rate * mean / (std::sqrt(highest) + epsilon));
    }
    return;
  }
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const C grad = g[i];
    const C mean = C(m[i]) + (grad - C(m[i])) * one_minus_beta1;
    const C square = C(v[i]) + (grad * grad - C(v[i])) * one_minus_beta2;
    m[i] = static_cast<T>(mean);
    v[i] = static_cast<T>(square);
    w[i] = static_cast<T>(C(w[i]) - rate * mean / (std::sqrt(square) + epsilon));
  }
}

template <class T, class C>
void rmsprop(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* square = static_cast<T*>(arrays.slots[0]);
  auto* velocity = static_cast<T*>(arrays.slots[1]);
  auto* mean = static_cast<T*>(arrays.slots[2]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
  const C rho = static_cast<C>(numbers.beta1);
  const C decay = static_cast<C>(numbers.momentum);
  const C epsilon = static_cast<C>(numbers.epsilon);
  for (int64_t i = begin; i < end; ++i) {
    const C grad = g[i];
    const C s = rho * C(square[i]) + (C(1) - rho) * grad * grad;
    square[i] = static_cast<T>(s);
    C variance = s + epsilon;
    if (mean) {
      const C average = rho * C(mean[i]) + (C(1) - rho) * grad;
      mean[i] = static_cast<T>(average);
      variance -= average * average;
    }
    C step = rate * grad / std::sqrt(variance);
    if (velocity) {
      step += decay * C(velocity[i]);
      velocity[i] = static_cast<T>(step);
    }
    w[i] = static_cast<T>(C(w[i]) - step);
  }
}

template <class T, class C>
void adagrad(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* sum = static_cast<T*>(arrays.slots[0]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
  const C epsilon = static_cast<C>(numbers.epsilon);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const C grad = g[i];
    const C s = C(sum[i]) + grad * grad;
    sum[i] = static_cast<T>(s);
    w[i] = static_cast<T>(C(w[i]) - rate * grad / std::sqrt(s + epsilon));
  }
}

template <class T, class C>
void adadelta(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin,
              int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* squares = static_cast<T*>(arrays.slots[0]);
  auto* steps = static_cast<T*>(arrays.slots[1]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
  const C rho = static_cast<C>(numbers.beta1);
  const C rest = static_cast<C>(1 - numbers.beta1);
  const C epsilon = static_cast<C>(numbers.epsilon);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const C grad = g[i];
    const C square = C(squares[i]) * rho + grad * grad * rest;
    const C step = grad * std::sqrt(C(steps[i]) + epsilon) / std::sqrt(square + epsilon);
    squares[i] = static_cast<T>(square);
    steps[i] = static_cast<T>(C(steps[i]) * rho + step * step * rest);
    w[i] = static_cast<T>(C(w[i]) - step * rate);
  }
}

template <class T, class C>
void adamax(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* m = static_cast<T*>(arrays.slots[0]);
  auto* u = static_cast<T*>(arrays.slots[1]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
  const C one_minus_beta1 = static_cast<C>(1 - numbers.beta1);
  const C beta2 = static_cast<C>(numbers.beta2);
  const C epsilon = static_cast<C>(numbers.epsilon);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const C grad = g[i];
    const C mean = C(m[i]) + (grad - C(m[i])) * one_minus_beta1;
    const C size = grad < 0 ? -grad : grad;
    const C faded = C(u[i]) * beta2;
    const C highest = faded > size ? faded : size;
    m[i] = static_cast<T>(mean);
    u[i] = static_cast<T>(highest);
    w[i] = static_cast<T>(C(w[i]) - rate * mean / (highest + epsilon));
  }
}

template <class T, class C>
void nadam(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* m = static_cast<T*>(arrays.slots[0]);
  auto* v = static_cast<T*>(arrays.slots[1]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
  const C direct = static_cast<C>(numbers.momentum);
  const C one_minus_beta1 = static_cast<C>(1 - numbers.beta1);
  const C one_minus_beta2 = static_cast<C>(1 - numbers.beta2);
  const C epsilon = static_cast<C>(numbers.epsilon);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const C grad = g[i];
    const C mean = C(m[i]) + (grad - C(m[i])) * one_minus_beta1;
    const C square = C(v[i]) + (grad * grad - C(v[i])) * one_minus_beta2;
    m[i] = static_cast<T>(mean);
    v[i] = static_cast<T>(square);
    w[i] = static_cast<T>(C(w[i]) - (rate * mean + direct * grad) / (std::sqrt(square) + epsilon));
  }
}

template <class T, class C, class Power>
void ftrl_with(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end,
               const Power& power) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* sums = static_cast<T*>(arrays.slots[0]);
  auto* linear = static_cast<T*>(arrays.slots[1]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C per_rate = static_cast<C>(1 / numbers.rate);
  const C l1 = static_cast<C>(numbers.beta1);
  const C twice_l2 = static_cast<C>(2 * numbers.beta2);
  const C shrinkage = static_cast<C>(numbers.epsilon);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const C grad = g[i];
    const C value = w[i];
    const C sum = C(sums[i]) + grad * grad;
    const C raised = power(sum);
    const C slope = (raised - power(C(sums[i]))) * per_rate;
    const C line = C(linear[i]) + grad + shrinkage * value - slope * value;
    const C low = line < -l1 ? -l1 : line;
    const C bounded = low > l1 ? l1 : low;
    sums[i] = static_cast<T>(sum);
    linear[i] = static_cast<T>(line);
    w[i] = static_cast<T>((bounded - line) / (raised * per_rate + twice_l2));
  }
}

template <class T, class C>
void ftrl(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  const C exponent = static_cast<C>(numbers.momentum);
  if (numbers.momentum == 0.5) {
    ftrl_with<T, C>(arrays, numbers, begin, end, [](C x) { return std::sqrt(x); });
  } else {
    ftrl_with<T, C>(arrays, numbers, begin, end, [&](C x) { return std::pow(x, exponent); });
  }
}

template <class T, class C>
void lion(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  auto* m = static_cast<T*>(arrays.slots[0]);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C rate = static_cast<C>(numbers.rate);
  const C beta1 = static_cast<C>(numbers.beta1);
  const C beta2 = static_cast<C>(numbers.beta2);
  const C rest1 = static_cast<C>(1 - numbers.beta1);
  const C rest2 = static_cast<C>(1 - numbers.beta2);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const C grad = g[i];
    const C mean = m[i];
    const C direction = mean * beta1 + grad * rest1;
    const C down = direction < 0 ? C(w[i]) + rate : C(w[i]);
    const C kept = direction != direction ? direction : down;
    w[i] = static_cast<T>(direction > 0 ? C(w[i]) - rate : kept);
    m[i] = static_cast<T>(mean * beta2 + grad * rest2);
  }
}

template <class T, class C>
void decay(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  const C rate = static_cast<C>(numbers.rate);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) w[i] = static_cast<T>(C(w[i]) - C(w[i]) * rate);
}

template <class T, class C>
void average(const UpdateArrays& arrays, const UpdateNumbers& numbers, int64_t begin, int64_t end) {
  auto* w = static_cast<T*>(arrays.variable);
  const auto* g = static_cast<const T*>(arrays.gradient);
  const C kept = static_cast<C>(numbers.momentum);
  const C rest = static_cast<C>(1 - numbers.momentum);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) w[i] = static_cast<T>(C(w[i]) * kept + C(g[i]) * rest);
}

// All of them, in the order of Update.
template <class T, class C>
constexpr UpdateLoop kUpdates[] = {
    sgd<T, C>,    momentum<T, C>, adam<T, C>, rmsprop<T, C>, adagrad<T, C>, adadelta<T, C>,
    adamax<T, C>, nadam<T, C>,    ftrl<T, C>, lion<T, C>,    decay<T, C>,   average<T, C>,
};
static_assert(std::size(kUpdates<float, float>) == static_cast<size_t>(Update::kCount));

}  // namespace
}  // namespace ef::cpu::EF_ISA
