// Fake quantization.
#pragma once

#include "ops/op.h"

namespace ef::ops {

struct FakeQuantAttrs {
  bool divide;
};
extern const Op fake_quant;  // inputs, limits

}  // namespace ef::ops
