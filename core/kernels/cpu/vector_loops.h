// Loops over arrays and scalars for the compiler to vectorise. For *.simd.cpp files only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/elementwise_loops.h"

namespace ef::cpu::EF_ISA {

template <class In, class Out, class Op>
void unary_loop(void* out, const void* x, int64_t count, double) {
  auto* to = static_cast<Out*>(out);
  const auto* from = static_cast<const In*>(x);
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = Op::of(from[i]);
}

template <class In, class Out, class Op>
void binary_loop(void* out, const void* x, const void* y, int64_t count, Form form, double) {
  auto* to = static_cast<Out*>(out);
  const auto* xs = static_cast<const In*>(x);
  const auto* ys = static_cast<const In*>(y);
  if (form == Form::kBoth) {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) to[i] = Op::of(xs[i], ys[i]);
  } else if (form == Form::kScalarY) {
    const In b = *ys;
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) to[i] = Op::of(xs[i], b);
  } else {
    const In a = *xs;
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) to[i] = Op::of(a, ys[i]);
  }
}

// For commutative operations.
template <class In, class Out, class Op>
void commutative_loop(void* out, const void* x, const void* y, int64_t count, Form form, double) {
  auto* to = static_cast<Out*>(out);
  const auto* xs = static_cast<const In*>(form == Form::kScalarX ? y : x);
  const auto* ys = static_cast<const In*>(form == Form::kScalarX ? x : y);
  if (form == Form::kBoth) {
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) to[i] = Op::of(xs[i], ys[i]);
  } else {
    const In b = *ys;
#pragma omp simd
    for (int64_t i = 0; i < count; ++i) to[i] = Op::of(xs[i], b);
  }
}

template <class T>
void set(ElementLoops& loops, Unary op, T loop, std::initializer_list<DType> types) {
  for (DType type : types) loops.at(op, type) = loop;
}
template <class T>
void set(ElementLoops& loops, Binary op, T loop, std::initializer_list<DType> types) {
  for (DType type : types) loops.at(op, type) = loop;
}

}  // namespace ef::cpu::EF_ISA
