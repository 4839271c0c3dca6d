// Fake quantization.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct FakeQuantAttrs {
  bool divide;
};
extern const Op fake_quant;  // inputs, limits

struct FakeQuantLimitsAttrs {
  double least, most;  // quantized values
  bool divide;         // see FakeQuantAttrs
};
extern const Op fake_quant_limits;  // min, max

}  // namespace ef::ops
