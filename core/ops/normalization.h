// Batch and layer normalisation.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct BatchNormAttrs {
  double epsilon = 0.001;
  int64_t axis = -1;
};
// Inputs: x, scale, offset. Outputs: the result, mean, variance, 1 / sqrt(variance + epsilon).
extern const Op batch_norm;
extern const Op batch_norm_inference;  // x, scale, offset, mean, variance

struct BatchNormGradAttrs {
  int64_t axis = -1;
};
extern const Op batch_norm_grad;  // dy, x, scale, mean, inverse

struct LayerNormAttrs {
  double epsilon = 0.001;
};
// Inputs: x, gamma, beta. Outputs: the result, mean, 1 / sqrt(variance + epsilon).
extern const Op layer_norm;
extern const Op layer_norm_grad;  // dy, x, gamma, mean, inverse

}  // namespace ef::ops
