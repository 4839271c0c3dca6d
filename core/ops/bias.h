// Biases per channel.
#pragma once

#include "ops/window.h"

namespace ef::ops {

struct BiasAttrs {
  DataFormat data_format = DataFormat::kNhwc;

  int channel_axis(int rank) const { return data_format == DataFormat::kNhwc ? rank - 1 : 1; }
};
extern const Op bias_add;       // value, bias
extern const Op bias_add_grad;  // dy: the sum over all axes but the channels

}  // namespace ef::ops
