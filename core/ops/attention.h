// Attention as one operation, which needs no memory for its scores.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct AttentionAttrs {
  double scale = 1;  // of the scores
};
// Inputs: query, key, value, and a mask that may be absent. Outputs: the result, and values that
// the gradient needs (kernels/cpu/attention.h).
extern const Op attention;
// Inputs: the gradient of the result, query, key, value, the result, the stored values, and the
// mask. Outputs: the gradients with respect to query, key and value.
extern const Op attention_grad;

}  // namespace ef::ops
