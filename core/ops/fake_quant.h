// Rounding to as few values as quantized numbers have.
#pragma once

#include "ops/op.h"

namespace ef::ops {

struct FakeQuantAttrs {
  bool divide;
};
extern const Op fake_quant;  // inputs, limits

}  // namespace ef::ops
