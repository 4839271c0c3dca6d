// The transforms of Winograd's convolution of 3×3 filters, one set for each instruction set.
//
// S. Winograd, "Arithmetic Complexity of Computations", 1980; A. Lavin and S. Gray, "Fast
// Algorithms for Convolutional Neural Networks", 2016: F(2×2, 3×3). Per channel, a tile of 4×4
// pixels and a filter become 16 values each. The sums of their products over channels yield 2×2
// pixels of the result.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// A pixel has n values, `row` is the row stride of pixels, and `plane` the stride of the 16
// transformed values.
struct WinogradLoops {
  // Transforms 4×4 pixels into 16 values.
  void (*image)(float* to, int64_t plane, const float* x, int64_t row, int64_t n);
  // Transforms 16 values into 2×2 pixels of a result.
  void (*result)(float* y, int64_t row, const float* from, int64_t plane, int64_t n);
  // Transforms the gradient of 2×2 pixels of a result into 16 values.
  void (*result_grad)(float* to, int64_t plane, const float* dy, int64_t row, int64_t n);
  // Transforms `n` of `total` filters, 9 values with stride `total`, into 16 values with the same
  // stride; with `turned`, of filters rotated by 180 degrees.
  void (*filter)(float* to, const float* filter, int64_t total, int64_t n, bool turned);
  // Transforms the 16 gradients into 9.
  void (*filter_grad)(float* filter, const float* from, int64_t total, int64_t n);
};

EF_EVERY_ISA(WinogradLoops, winograd_loops)

}  // namespace ef::cpu
