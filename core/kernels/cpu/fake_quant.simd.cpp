// Vector loops of fake quantization.
#include <cstdint>

#include "kernels/cpu/fake_quant_loops.h"

namespace ef::cpu::EF_ISA {
namespace {

template <bool kDivide>
void round_as(float* out, const float* x, int64_t n, FakeQuantLimits l) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const float limited = x[i] > l.top ? l.top : x[i];
    const float distance = (limited < l.bottom ? l.bottom : limited) - l.bottom;
    const float steps = (kDivide ? distance / l.factor : distance * l.factor) - l.zero;
    out[i] = __builtin_floorf(steps + 0.5f) * l.scale;
  }
}

void round(float* out, const float* x, int64_t n, FakeQuantLimits limits, bool divide) {
  divide ? round_as<true>(out, x, n, limits) : round_as<false>(out, x, n, limits);
}

void gradient(float* out, const float* dy, const float* x, int64_t n, float bottom, float top,
              double* low, double* high) {
  constexpr int64_t kBlock = 1024;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = n - begin < kBlock ? n : begin + kBlock;
    float below = 0;
    float above = 0;
#pragma omp simd reduction(+ : below, above)
    for (int64_t i = begin; i < end; ++i) {
      out[i] = (x[i] >= bottom) & (x[i] <= top) ? dy[i] : 0;
      below += x[i] < bottom ? dy[i] : 0;
      above += x[i] > top ? dy[i] : 0;
    }
    *low += below;
    *high += above;
  }
}

}  // namespace

const FakeQuantLoops& fake_quant_loops() {
  static constexpr FakeQuantLoops loops{round, gradient};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
