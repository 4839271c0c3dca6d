// Loops of batch and layer normalisation, for each instruction set.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// Blocks are `rows` rows of n elements; a parameter with one value per column is an array.
template <class T>
struct NormalizationLoopsOf {
  // Means of the columns, and sums of squared deviations.
  void (*column_moments)(const T* x, int64_t rows, int64_t n, T* mean, T* squares);
  // y = (x - mean) * factor + offset
  void (*scale_columns)(T* y, const T* x, const T* mean, const T* factor, const T* offset,
                        int64_t rows, int64_t n);
  // sum += the sum of dy; dot += the sum of dy * (x - mean)
  void (*column_dots)(const T* dy, const T* x, const T* mean, T* sum, T* dot, int64_t rows,
                      int64_t n);
  // dx = a * dy + b * (x - mean) + c
  void (*mix_columns)(T* dx, const T* dy, const T* x, const T* mean, const T* a, const T* b,
                      const T* c, int64_t rows, int64_t n);

  // The same for one row whose elements share their mean, factor and so on.
  void (*moments)(const T* x, int64_t n, T* mean, T* squares);
  void (*scale)(T* y, const T* x, T mean, T factor, T offset, int64_t n);
  void (*dots)(const T* dy, const T* x, T mean, T* sum, T* dot, int64_t n);
  void (*mix)(T* dx, const T* dy, const T* x, T mean, T a, T b, T c, int64_t n);

  // y = (x - mean) * inverse * gamma + beta
  void (*normalize_row)(T* y, const T* x, T mean, T inverse, const T* gamma, const T* beta,
                        int64_t n);
  // The gradient of that, mean and inverse being functions of x; adds to dgamma and dbeta.
  void (*normalize_row_grad)(T* dx, const T* dy, const T* x, T mean, T inverse, const T* gamma,
                             T* dgamma, T* dbeta, int64_t n);
};

struct NormalizationLoops {
  NormalizationLoopsOf<float> float32;
  NormalizationLoopsOf<double> float64;
};

EF_EVERY_ISA(NormalizationLoops, normalization_loops)

}  // namespace ef::cpu
