// The passes of resampling over one row of pixels, one set for each instruction set.
#pragma once

#include <cstdint>

namespace ef::cpu {

// The two passes over one row of pixels.
template <class T>
struct ResampleLoopsOf {
  // out = the sum of `taps` rows of n numbers that lie n apart, weighted.
  void (*rows)(T* out, const T* x, const T* weights, int64_t taps, int64_t n);
  // For each of `count` pixels: the sum of `taps` pixels of x from its place on, weighted.
  void (*columns)(T* out, const T* x, const int32_t* places, const T* weights, int64_t taps,
                  int64_t count, int64_t channels);
};

struct ResampleLoops {
  ResampleLoopsOf<float> float32;
  ResampleLoopsOf<double> float64;
};

namespace baseline {
const ResampleLoops& resample_loops();
}
namespace avx2 {
const ResampleLoops& resample_loops();
}
namespace avx512 {
const ResampleLoops& resample_loops();
}

}  // namespace ef::cpu
