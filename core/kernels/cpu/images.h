// Kernels of the operations on images.
#pragma once

#include "ops/kernel_context.h"

namespace ef::cpu {

void resample(KernelContext& context);
void remaining_boxes(KernelContext& context);
void crop_and_resize(KernelContext& context);
void crop_and_resize_grad_image(KernelContext& context);
void crop_and_resize_grad_boxes(KernelContext& context);

}  // namespace ef::cpu
