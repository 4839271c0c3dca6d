// Attention as one operation, which needs no memory for its scores.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct AttentionAttrs {
  double scale = 1;  // of the scores
};
// query, key, value and what is added to the scores, if anything is: the result, and what its
// gradient needs besides (kernels/cpu/attention.h).
extern const Op attention;
// The gradient of the result, then query, key, value, the result, what was kept, and the mask: the
// gradients by query, key and value.
extern const Op attention_grad;

}  // namespace ef::ops
