// Convolutions of images and their backward passes.
#pragma once

#include "kernels/cpu/float_convolution.h"
#include "ops/convolution.h"
#include "ops/kernel_context.h"

namespace ef::cpu {

// The geometry of a forward convolution of these shapes, which fit. `op` is named in errors.
Convolution forward_convolution(bool depthwise, const ops::Conv2DAttrs& attrs, const Shape& image,
                                const Shape& filter, const Shape& result, const char* op);

void conv2d(KernelContext& context);
void conv2d_backprop_input(KernelContext& context);
void conv2d_backprop_filter(KernelContext& context);
void depthwise_conv2d(KernelContext& context);
void depthwise_conv2d_backprop_input(KernelContext& context);
void depthwise_conv2d_backprop_filter(KernelContext& context);

}  // namespace ef::cpu
