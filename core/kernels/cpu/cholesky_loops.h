// Loops that factor many small matrices side by side, one in each lane of the vectors.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// Element (i, k) of the matrix in lane m is at index (i * row_stride(n) + k) * lanes + m.
// Processors take elements that are a page apart for the same memory: strides keep rows from that.
inline int64_t row_stride(int64_t n) { return n % 16 == 0 ? n + 1 : n; }

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
