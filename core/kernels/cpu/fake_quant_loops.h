// Vector loops that round numbers to as few values as quantized ones have.
#pragma once

#include <cstdint>

namespace ef::cpu {

// How numbers are rounded: moved between the limits, and to whole steps from zero.
struct FakeQuantLimits {
  float bottom;
  float top;
  float factor;  // what distances from the bottom are divided by, or multiplied by
  float zero;    // steps from the bottom to zero
  float scale;   // the length of a step
};

struct FakeQuantLoops {
  void (*round)(float* out, const float* x, int64_t n, FakeQuantLimits limits, bool divide);
  // out = dy where x lies between the limits, else 0. Adds what flows to the limits, from where x
  // is beyond them.
  void (*gradient)(float* out, const float* dy, const float* x, int64_t n, float bottom, float top,
                   double* low, double* high);
};

namespace baseline {
const FakeQuantLoops& fake_quant_loops();
}
namespace avx2 {
const FakeQuantLoops& fake_quant_loops();
}
namespace avx512 {
const FakeQuantLoops& fake_quant_loops();
}

}  // namespace ef::cpu
