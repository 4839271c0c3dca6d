// Loops that factor one small matrix.
#pragma once

#include <cstdint>

namespace ef::cpu {

// Larger matrices are LAPACK's.
inline constexpr int kSmallMatrix = 32;
inline constexpr int kMatricesAtOnce = 4;

template <class T>
struct CholeskyLoopsOf {
  // Factors `count` <= kMatricesAtOnce matrices of n <= kSmallMatrix rows, of which it reads the
  // lower triangles. Where one is not positive definite, `good` is false and `out` undefined.
  void (*factor)(const T* matrices, T* out, int64_t n, int count, bool* good);
};

struct CholeskyLoops {
  CholeskyLoopsOf<float> float32;
  CholeskyLoopsOf<double> float64;
};

namespace baseline {
const CholeskyLoops& cholesky_loops();
}
namespace avx2 {
const CholeskyLoops& cholesky_loops();
}
namespace avx512 {
const CholeskyLoops& cholesky_loops();
}

}  // namespace ef::cpu
