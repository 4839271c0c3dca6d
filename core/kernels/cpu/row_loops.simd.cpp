// Vector loops over one row of numbers.
#include "kernels/cpu/row_loops.h"

#include <cstdint>

namespace ef::cpu::EF_ISA {
namespace {

template <class T>
T max_of(const T* x, int64_t n) {
  T top = x[0];
  bool nan = false;
#pragma omp simd reduction(max : top) reduction(| : nan)
  for (int64_t i = 0; i < n; ++i) {
    top = x[i] > top ? x[i] : top;
    nan |= x[i] != x[i];
  }
  return nan ? T(__builtin_nanf("")) : top;
}

template <class T>
T min_of(const T* x, int64_t n) {
  T bottom = x[0];
  bool nan = false;
#pragma omp simd reduction(min : bottom) reduction(| : nan)
  for (int64_t i = 0; i < n; ++i) {
    bottom = x[i] < bottom ? x[i] : bottom;
    nan |= x[i] != x[i];
  }
  return nan ? T(__builtin_nanf("")) : bottom;
}

template <class T>
T sum_of(const T* x, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

template <class T>
T dot(const T* x, const T* y, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

template <class T>
void subtract(T* out, const T* x, T number, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] - number;
}

template <class T>
void scale(T* out, const T* x, T number, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] * number;
}

template <class T>
void add_rows(T* out, const T* x, const T* y, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}

template <class T>
void max_into(T* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = (x[i] > out[i]) | (x[i] != x[i]) ? x[i] : out[i];
}

template <class T>
void min_into(T* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = (x[i] < out[i]) | (x[i] != x[i]) ? x[i] : out[i];
}

template <class T>
void add_into(T* out, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] += x[i];
}

template <class T>
void add_scaled(T* out, const T* x, T number, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] += x[i] * number;
}

template <class T>
void softmax_grad(T* out, const T* dy, const T* y, T number, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) out[i] = (dy[i] - number) * y[i];
}

template <class T>
void max_grad(T* out, const T* x, const T* y, const T* dy, int32_t* found, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const int32_t hit = (x[i] == y[i]) & (found[i] == 0);
    out[i] += hit ? dy[i] : T(0);
    found[i] |= hit;
  }
}

template <class T>
constexpr RowLoopsOf<T> kLoops = {
    max_of<T>,   min_of<T>,   sum_of<T>,   dot<T>,        subtract<T>,     scale<T>,   add_rows<T>,
    max_into<T>, min_into<T>, add_into<T>, add_scaled<T>, softmax_grad<T>, max_grad<T>};

}  // namespace

const RowLoops& row_loops() {
  static constexpr RowLoops loops = {kLoops<float>, kLoops<double>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
