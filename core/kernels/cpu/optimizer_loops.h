// The loops of the optimizer updates, for each file that instantiates them in its own namespace.
#pragma once

#include <cmath>
#include <cstdint>

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

}  // namespace
}  // namespace ef::cpu::EF_ISA
