// Loops of batch and layer normalisation.
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/normalization_loops.h"
#include "kernels/cpu/vector_math.h"

namespace ef::cpu::EF_ISA {
namespace {

template <class T>
EF_INLINE Vec<T> load(const T* from, int64_t n = kLanes<T>) {
  Vec<T> v = {};
  std::memcpy(&v, from, static_cast<size_t>(n) * sizeof(T));
  return v;
}
template <class T>
EF_INLINE void store(T* to, Vec<T> v, int64_t n = kLanes<T>) {
  std::memcpy(to, &v, static_cast<size_t>(n) * sizeof(T));
}

template <int K>
using Number = std::integral_constant<int, K>;

// Calls body(j, vectors, size of the last vector) for strips of columns: of four vectors, of one,
// and the remainder.
template <class T, class Body>
EF_INLINE void for_strips(int64_t n, const Body& body) {
  constexpr int64_t kWidth = kLanes<T>;
  using Whole = std::integral_constant<int64_t, kWidth>;
  int64_t j = 0;
  for (; j + 4 * kWidth <= n; j += 4 * kWidth) body(j, Number<4>(), Whole());
  for (; j + kWidth <= n; j += kWidth) body(j, Number<1>(), Whole());
  if (j < n) body(j, Number<1>(), n - j);
}

template <class T>
void column_moments(const T* x, int64_t rows, int64_t n, T* mean, T* squares) {
  constexpr int64_t kWidth = kLanes<T>;
  const T share = T(1) / static_cast<T>(rows);
  for_strips<T>(n, [&](int64_t j, auto vectors, auto size) {
    constexpr int kCount = decltype(vectors)::value;
    // Sums of distances from the first row: equal elements have none.
    Vec<T> first[kCount] = {}, sum[kCount] = {};
    for (int v = 0; v < kCount && rows > 0; ++v) first[v] = load(x + j + v * kWidth, size);
    for (int64_t r = 1; r < rows; ++r) {
      const T* const row = x + r * n + j;
      for (int v = 0; v < kCount; ++v) sum[v] += load(row + v * kWidth, size) - first[v];
    }
    Vec<T> square[kCount] = {};
    for (int v = 0; v < kCount; ++v) sum[v] = first[v] + sum[v] * share;
    for (int64_t r = 0; r < rows; ++r) {
      const T* const row = x + r * n + j;
      for (int v = 0; v < kCount; ++v) {
        const Vec<T> distance = load(row + v * kWidth, size) - sum[v];
        square[v] += distance * distance;
      }
    }
    for (int v = 0; v < kCount; ++v) {
      store(mean + j + v * kWidth, sum[v], size);
      store(squares + j + v * kWidth, square[v], size);
    }
  });
}

template <class T>
void scale_columns(T* y, const T* x, const T* mean, const T* factor, const T* offset, int64_t rows,
                   int64_t n) {
  for (int64_t r = 0; r < rows; ++r, y += n, x += n) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean[i]) * factor[i] + offset[i];
  }
}

template <class T>
void column_dots(const T* dy, const T* x, const T* mean, T* sum, T* dot, int64_t rows, int64_t n) {
  constexpr int64_t kWidth = kLanes<T>;
  for_strips<T>(n, [&](int64_t j, auto vectors, auto size) {
    constexpr int kCount = decltype(vectors)::value;
    Vec<T> center[kCount], sums[kCount], dots[kCount];
    for (int v = 0; v < kCount; ++v) {
      center[v] = load(mean + j + v * kWidth, size);
      sums[v] = load(sum + j + v * kWidth, size);
      dots[v] = load(dot + j + v * kWidth, size);
    }
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = r * n + j;
      for (int v = 0; v < kCount; ++v) {
        const Vec<T> slope = load(dy + at + v * kWidth, size);
        sums[v] += slope;
        dots[v] += slope * (load(x + at + v * kWidth, size) - center[v]);
      }
    }
    for (int v = 0; v < kCount; ++v) {
      store(sum + j + v * kWidth, sums[v], size);
      store(dot + j + v * kWidth, dots[v], size);
    }
  });
}

template <class T>
void mix_columns(T* dx, const T* dy, const T* x, const T* mean, const T* a, const T* b, const T* c,
                 int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r, dx += n, dy += n, x += n) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) dx[i] = a[i] * dy[i] + b[i] * (x[i] - mean[i]) + c[i];
  }
}

template <class T>
void moments(const T* x, int64_t n, T* mean, T* squares) {
  // The sum of distances from the first element: equal elements have none.
  const T first = n > 0 ? x[0] : T(0);
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] - first;
  const T center = first + sum / static_cast<T>(n);
  T square = 0;
#pragma omp simd reduction(+ : square)
  for (int64_t i = 0; i < n; ++i) square += (x[i] - center) * (x[i] - center);
  *mean = center;
  *squares = square;
}

template <class T>
void scale(T* y, const T* x, T mean, T factor, T offset, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor + offset;
}

template <class T>
void dots(const T* dy, const T* x, T mean, T* sum, T* dot, int64_t n) {
  T sums = 0;
  T products = 0;
#pragma omp simd reduction(+ : sums, products)
  for (int64_t i = 0; i < n; ++i) {
    sums += dy[i];
    products += dy[i] * (x[i] - mean);
  }
  *sum += sums;
  *dot += products;
}

template <class T>
void mix(T* dx, const T* dy, const T* x, T mean, T a, T b, T c, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx[i] = a * dy[i] + b * (x[i] - mean) + c;
}

template <class T>
void normalize_row(T* y, const T* x, T mean, T inverse, const T* gamma, const T* beta, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * inverse * gamma[i] + beta[i];
}

template <class T>
void normalize_row_grad(T* dx, const T* dy, const T* x, T mean, T inverse, const T* gamma,
                        T* dgamma, T* dbeta, int64_t n) {
  T sum = 0;
  T dot = 0;
#pragma omp simd reduction(+ : sum, dot)
  for (int64_t i = 0; i < n; ++i) {
    const T slope = dy[i] * gamma[i];
    const T unit = (x[i] - mean) * inverse;
    sum += slope;
    dot += slope * unit;
    dgamma[i] += dy[i] * unit;
    dbeta[i] += dy[i];
  }
  const T share = T(1) / static_cast<T>(n);
  sum *= share;
  dot *= share;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    dx[i] = inverse * (dy[i] * gamma[i] - sum - (x[i] - mean) * inverse * dot);
  }
}

template <class T>
constexpr NormalizationLoopsOf<T> kLoops = {
    .column_moments = column_moments<T>,
    .scale_columns = scale_columns<T>,
    .column_dots = column_dots<T>,
    .mix_columns = mix_columns<T>,
    .moments = moments<T>,
    .scale = scale<T>,
    .dots = dots<T>,
    .mix = mix<T>,
    .normalize_row = normalize_row<T>,
    .normalize_row_grad = normalize_row_grad<T>,
};

}  // namespace

const NormalizationLoops& normalization_loops() {
  static constexpr NormalizationLoops loops = {kLoops<float>, kLoops<double>};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
