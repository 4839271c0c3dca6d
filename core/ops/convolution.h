// Two-dimensional convolutions and the operations that are their gradients.
#pragma once

#include "ops/window.h"

namespace ef::ops {

// Lists have one entry per axis of the input, explicit_paddings two.
struct Conv2DAttrs {
  Ints strides;
  Padding padding;
  std::optional<Ints> explicit_paddings = {};
  std::optional<Ints> dilations = {};
  DataFormat data_format = DataFormat::kNhwc;

  Window window(const Shape& image, const Shape& filter, const char* op) const;
};
struct Conv2DBackpropInputAttrs {
  Ints input_sizes;
  Conv2DAttrs conv;
};
struct Conv2DBackpropFilterAttrs {
  Ints filter_sizes;
  Conv2DAttrs conv;
};

extern const Op conv2d;                  // input, filters
extern const Op conv2d_backprop_input;   // filter, out_backprop
extern const Op conv2d_backprop_filter;  // input, out_backprop

extern const Op depthwise_conv2d;
extern const Op depthwise_conv2d_backprop_input;
extern const Op depthwise_conv2d_backprop_filter;

// With int8 filters.
extern const Op int8_conv2d;  // input, filters, scale
extern const Op int8_depthwise_conv2d;

}  // namespace ef::ops
