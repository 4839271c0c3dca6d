// Two-dimensional convolutions and the operations that are their gradients.
#pragma once

#include "ops/op.h"

namespace ef::ops {

// Attributes of all six: strides (4), padding, explicit_paddings (8 or none), dilations (4),
// data_format. The backprops begin with one more, the sizes of what they compute.
extern const Op conv2d;
// Inputs: filter, out_backprop.
extern const Op conv2d_backprop_input;
// Inputs: input, out_backprop.
extern const Op conv2d_backprop_filter;

extern const Op depthwise_conv2d;
extern const Op depthwise_conv2d_backprop_input;
extern const Op depthwise_conv2d_backprop_filter;

}  // namespace ef::ops
