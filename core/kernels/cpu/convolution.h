// Convolutions of images and their backward passes.
#pragma once

#include "ops/op.h"

namespace ef::cpu {

void conv2d(KernelContext& context);
void conv2d_backprop_input(KernelContext& context);
void conv2d_backprop_filter(KernelContext& context);
void depthwise_conv2d(KernelContext& context);
void depthwise_conv2d_backprop_input(KernelContext& context);
void depthwise_conv2d_backprop_filter(KernelContext& context);

}  // namespace ef::cpu
