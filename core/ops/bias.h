// Biases per channel.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op bias_add;       // value, bias; data_format
extern const Op bias_add_grad;  // dy; data_format: the sum over everything but the channels

}  // namespace ef::ops
