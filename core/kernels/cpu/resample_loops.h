// The passes of resampling over one row of pixels, per instruction set.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// The two passes over one row of pixels.
template <class T>
struct ResampleLoopsOf {
  // Pixels of weight 0 are not read, so that infinities and NaNs do not spread from them.
  // out = the weighted sum of `taps` contiguous rows of n elements.
  void (*rows)(T* out, const T* x, const T* weights, int64_t taps, int64_t n);
  // For each of `count` pixels: the weighted sum of `taps` pixels of x, starting at its index.
  // `dense` tells which pixels have no weights of 0.
  void (*columns)(T* out, const T* x, const int32_t* places, const T* weights, const uint8_t* dense,
                  int64_t taps, int64_t count, int64_t channels);
};

struct ResampleLoops {
  ResampleLoopsOf<float> float32;
  ResampleLoopsOf<double> float64;
};

EF_EVERY_ISA(ResampleLoops, resample_loops)

}  // namespace ef::cpu
