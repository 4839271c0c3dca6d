// Vector loops of fake quantization.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// How values are quantized: clipped to the limits, then rounded to whole steps from zero.
struct FakeQuantLimits {
  float bottom;
  float top;
  float factor;  // distances from the bottom are divided or multiplied by it
  float zero;    // steps from the bottom to zero
  float scale;   // the length of a step
};

struct FakeQuantLoops {
  void (*round)(float* out, const float* x, int64_t n, FakeQuantLimits limits, bool divide);
  // out = dy where x is within the limits, else 0. For other x, adds dy to the gradient of the
  // limit that x exceeds.
  void (*gradient)(float* out, const float* dy, const float* x, int64_t n, float bottom, float top,
                   double* low, double* high);
};

EF_EVERY_ISA(FakeQuantLoops, fake_quant_loops)

}  // namespace ef::cpu
