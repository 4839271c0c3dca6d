// Batch and layer normalisation.
#pragma once

#include "ops/op.h"

namespace ef::ops {

// x, scale, offset; epsilon, axis: the result, mean, variance, 1 / sqrt(variance + epsilon).
extern const Op batch_norm;
extern const Op batch_norm_grad;       // dy, x, scale, mean, inverse; axis
extern const Op batch_norm_inference;  // x, scale, offset, mean, variance; epsilon, axis
// x, gamma, beta; epsilon: the result, mean, 1 / sqrt(variance + epsilon).
extern const Op layer_norm;
extern const Op layer_norm_grad;  // dy, x, gamma, mean, inverse

}  // namespace ef::ops
