// Products and convolutions of floats, which are quantized as they are read, with int8 weights.
#pragma once

#include "kernels/cpu/finished_convolution.h"
#include "ops/kernel_context.h"

namespace ef::cpu {

// Whether int8 products are computed; otherwise the weights are converted to floats.
bool suits_int8(const Convolution& c);

// Like convolve_finished() and multiply_finished(), for int8 weights. Each image and each row has
// its own scale, from its greatest absolute value.
void convolve_int8(const Convolution& c, const float* image, ReadyWeights& weights,
                   const ReadyWeights::Source& source, const Finish& finish, float* result);
void multiply_int8(int64_t rows, const float* a, ReadyWeights& weights,
                   const ReadyWeights::Source& source, const Finish& finish, float* c);

// Kernels of the operations.
void int8_matmul(KernelContext& context);
void int8_conv2d(KernelContext& context);
void int8_depthwise_conv2d(KernelContext& context);

}  // namespace ef::cpu
