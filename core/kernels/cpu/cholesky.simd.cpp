// Vector loops that factor a few small matrices side by side.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/cholesky_loops.h"

namespace ef::cpu::EF_ISA {
namespace {

// Works on the transposed factors, whose rows lie in one piece, padded with zeros to kWidth. What
// comes to stand left of the diagonal has no meaning and reaches no other column. Root and quotient
// of each row wait for the row before; with several matrices, they wait at the same time.
template <int kWidth, class T>
void factor(const T* matrices, T* out, int64_t n, int count, bool* good) {
  alignas(64) T upper[kMatricesAtOnce][kWidth * kWidth];
  for (int m = 0; m < count; ++m) {
    good[m] = true;
    std::memset(upper[m], 0, static_cast<size_t>(n) * kWidth * sizeof(T));
    const T* matrix = matrices + m * n * n;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k <= i; ++k) upper[m][k * kWidth + i] = matrix[i * n + k];
    }
  }
  for (int64_t k = 0; k < n; ++k) {
    for (int m = 0; m < count; ++m) {
      T* const row = upper[m] + k * kWidth;
      const T pivot = row[k];
      if (!(pivot > 0) || std::isinf(pivot)) good[m] = false;
      const T root = std::sqrt(pivot);
      const T scale = 1 / root;
      for (int j = 0; j < kWidth; ++j) row[j] *= scale;
      row[k] = root;
    }
    for (int m = 0; m < count; ++m) {
      const T* const row = upper[m] + k * kWidth;
      for (int64_t i = k + 1; i < n; ++i) {
        T* const other = upper[m] + i * kWidth;
        const T times = row[i];
        for (int j = 0; j < kWidth; ++j) other[j] -= times * row[j];
      }
    }
  }
  for (int m = 0; m < count; ++m) {
    T* target = out + m * n * n;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k <= i; ++k) target[i * n + k] = upper[m][k * kWidth + i];
      for (int64_t k = i + 1; k < n; ++k) target[i * n + k] = 0;
    }
  }
}

template <class T>
void factor_any(const T* matrices, T* out, int64_t n, int count, bool* good) {
  if (n <= 8) return factor<8>(matrices, out, n, count, good);
  if (n <= 16) return factor<16>(matrices, out, n, count, good);
  factor<kSmallMatrix>(matrices, out, n, count, good);
}

}  // namespace

const CholeskyLoops& cholesky_loops() {
  static const CholeskyLoops loops{{factor_any<float>}, {factor_any<double>}};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
