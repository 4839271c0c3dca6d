// Loops that factor many small matrices side by side, one in each lane of the vectors.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// Larger matrices are factored one by one.
inline constexpr int kSmallMatrix = 32;

// Element e of the matrix in lane m is at index e * lanes + m.
template <class T>
struct CholeskyLoopsOf {
  int lanes;
  // Replaces matrices, of which only the lower triangles are read, by their factors. `good` tells
  // for each lane whether the factor exists.
  void (*factor)(T* matrices, int64_t n, bool* good);
  // Replaces gradients with respect to factors by those with respect to the factored matrices.
  void (*gradient)(const T* factors, T* gradients, int64_t n);
};

struct CholeskyLoops {
  CholeskyLoopsOf<float> float32;
  CholeskyLoopsOf<double> float64;
};

EF_EVERY_ISA(CholeskyLoops, cholesky_loops)

}  // namespace ef::cpu
