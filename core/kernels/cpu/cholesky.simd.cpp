// Vector loops that factor many small matrices, one in each lane.
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/cholesky_loops.h"

namespace ef::cpu::EF_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX2__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif

template <class T>
struct Vectors {
  typedef T Type __attribute__((vector_size(kBytes), aligned(sizeof(T))));
  static constexpr int kLanes = kBytes / sizeof(T);
};

template <class T>
void factor(T* matrices, int64_t n, bool* good) {
  using V = typename Vectors<T>::Type;
  constexpr int kLanes = Vectors<T>::kLanes;
  const int64_t stride = row_stride(n);
  V* const a = reinterpret_cast<V*>(matrices);
  for (int m = 0; m < kLanes; ++m) good[m] = true;
  for (int64_t j = 0; j < n; ++j) {
    V* const row = a + j * stride;
    V pivot = row[j];
    for (int64_t k = 0; k < j; ++k) pivot -= row[k] * row[k];
    V root;
    for (int m = 0; m < kLanes; ++m) root[m] = std::sqrt(pivot[m]);
    for (int m = 0; m < kLanes; ++m) {
      good[m] &= pivot[m] > 0 && pivot[m] <= std::numeric_limits<T>::max();
    }
    row[j] = root;
    const V scale = T(1) / root;
    // Four rows at a time, so that four sums are independent.
    int64_t i = j + 1;
    for (; i + 4 <= n; i += 4) {
      V* const below = a + i * stride;
      V sums[4] = {below[j], below[stride + j], below[2 * stride + j], below[3 * stride + j]};
      for (int64_t k = 0; k < j; ++k) {
        const V times = row[k];
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r) sums[r] -= times * below[r * stride + k];
      }
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) below[r * stride + j] = sums[r] * scale;
    }
    for (; i < n; ++i) {
      V* const below = a + i * stride;
      V sum = below[j];
      for (int64_t k = 0; k < j; ++k) sum -= row[k] * below[k];
      below[j] = sum * scale;
    }
    for (int64_t k = j + 1; k < n; ++k) row[k] = V{};
  }
}

// The reverse of the loop over columns: I. Murray, "Differentiation of the Cholesky decomposition"
// (2016), section 3.2.
template <class T>
void gradient(const T* factors, T* gradients, int64_t n) {
  using V = typename Vectors<T>::Type;
  const int64_t stride = row_stride(n);
  const V* const l = reinterpret_cast<const V*>(factors);
  V* const g = reinterpret_cast<V*>(gradients);
  for (int64_t k = n - 1; k >= 0; --k) {
    const V* const row = l + k * stride;
    V* const row_gradient = g + k * stride;
    const V scale = T(1) / row[k];
    V diagonal = row_gradient[k];
    for (int64_t i = k + 1; i < n; ++i) {
      const V below = g[i * stride + k] * scale;
      diagonal -= below * l[i * stride + k];
      g[i * stride + k] = below;
    }
    diagonal *= scale;
    for (int64_t p = 0; p < k; ++p) row_gradient[p] -= diagonal * row[p];
    // Four rows at a time, so that the row's gradient is read and written once for them.
    int64_t i = k + 1;
    for (; i + 4 <= n; i += 4) {
      V* const others = g + i * stride;
      const V* const factors_below = l + i * stride;
      const V below[4] = {others[k], others[stride + k], others[2 * stride + k],
                          others[3 * stride + k]};
      for (int64_t p = 0; p < k; ++p) {
        V sum = row_gradient[p];
        const V times = row[p];
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r) {
          sum -= below[r] * factors_below[r * stride + p];
          others[r * stride + p] -= below[r] * times;
        }
        row_gradient[p] = sum;
      }
    }
    for (; i < n; ++i) {
      const V below = g[i * stride + k];
      for (int64_t p = 0; p < k; ++p) {
        row_gradient[p] -= below * l[i * stride + p];
        g[i * stride + p] -= below * row[p];
      }
    }
    row_gradient[k] = diagonal * T(0.5);
  }
  // Half of each element below the diagonal belongs to its mirror image.
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < i; ++k) {
      g[k * stride + i] = g[i * stride + k] = g[i * stride + k] * T(0.5);
    }
  }
}

template <class T>
constexpr CholeskyLoopsOf<T> loops_of() {
  return {Vectors<T>::kLanes, factor<T>, gradient<T>};
}

}  // namespace

const CholeskyLoops& cholesky_loops() {
  static constexpr CholeskyLoops loops{loops_of<float>(), loops_of<double>()};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
