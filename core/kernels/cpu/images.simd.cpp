// The passes of resampling over one row of pixels.
#include "kernels/cpu/resample_loops.h"

#include <cstdint>

namespace ef::cpu::EF_ISA {
namespace {

template <class T>
void sum_rows(T* out, const T* x, const T* weights, int64_t taps, int64_t n) {
  int64_t k = 0;
  while (k < taps && weights[k] == 0) ++k;
  if (k == taps) {
    for (int64_t i = 0; i < n; ++i) out[i] = 0;
    return;
  }
  const T first = weights[k];
  const T* row = x + k * n;
  if (k + 1 < taps && weights[k + 1] != 0) {
    const T second = weights[k + 1];
    const T* next = row + n;
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = first * row[i] + second * next[i];
    k += 2;
  } else {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = first * row[i];
    ++k;
  }
  for (; k < taps; ++k) {
    const T weight = weights[k];
    if (weight == 0) continue;
    row = x + k * n;
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] += weight * row[i];
  }
}

// kTaps and kChannels are 0 where they are known only at run time.
template <int kTaps, int kChannels, class T>
void sum_pixels(T* out, const T* x, const int32_t* places, const T* weights, const uint8_t* dense,
                int64_t taps, int64_t count, int64_t channels) {
  const int64_t k_end = kTaps ? kTaps : taps;
  const int64_t c_end = kChannels ? kChannels : channels;
  for (int64_t i = 0; i < count; ++i) {
    const T* from = x + places[i] * c_end;
    const T* weight = weights + i * k_end;
    T* to = out + i * c_end;
    if (kChannels == 0 || !dense[i]) {
      sum_rows(to, from, weight, k_end, c_end);
    } else {
      T sums[kChannels ? kChannels : 1] = {};
      for (int64_t k = 0; k < k_end; ++k) {
        for (int64_t c = 0; c < kChannels; ++c) sums[c] += weight[k] * from[k * kChannels + c];
      }
      for (int64_t c = 0; c < kChannels; ++c) to[c] = sums[c];
    }
  }
}

template <int kTaps, class T>
void sum_columns_of(T* out, const T* x, const int32_t* places, const T* weights,
                    const uint8_t* dense, int64_t taps, int64_t count, int64_t channels) {
  switch (channels) {
    case 1: return sum_pixels<kTaps, 1>(out, x, places, weights, dense, taps, count, channels);
    case 3: return sum_pixels<kTaps, 3>(out, x, places, weights, dense, taps, count, channels);
    case 4: return sum_pixels<kTaps, 4>(out, x, places, weights, dense, taps, count, channels);
    default: return sum_pixels<kTaps, 0>(out, x, places, weights, dense, taps, count, channels);
  }
}

template <class T>
void sum_columns(T* out, const T* x, const int32_t* places, const T* weights, const uint8_t* dense,
                 int64_t taps, int64_t count, int64_t channels) {
  if (taps == 2) return sum_columns_of<2>(out, x, places, weights, dense, taps, count, channels);
  if (taps == 4) return sum_columns_of<4>(out, x, places, weights, dense, taps, count, channels);
  sum_columns_of<0>(out, x, places, weights, dense, taps, count, channels);
}

}  // namespace

const ResampleLoops& resample_loops() {
  static constexpr ResampleLoops loops{{sum_rows<float>, sum_columns<float>},
                                       {sum_rows<double>, sum_columns<double>}};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
