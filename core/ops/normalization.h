// Biases per channel and normalisation.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op bias_add;
extern const Op bias_add_grad;
// Inputs: x, scale, offset, mean, variance. Outputs: y, batch mean, batch variance, and what
// fused_batch_norm_grad wants to be given: mean and variance (of the population) again.
extern const Op fused_batch_norm;
extern const Op fused_batch_norm_grad;
extern const Op lrn;
extern const Op lrn_grad;

}  // namespace ef::ops
