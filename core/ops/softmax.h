// Softmax over the last axis.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

extern const Op softmax;
extern const Op log_softmax;
// Gradients from the outputs: (dy - sum(dy * y)) * y, and dy - exp(y) * sum(dy).
extern const Op softmax_grad;
extern const Op log_softmax_grad;

}  // namespace ef::ops
