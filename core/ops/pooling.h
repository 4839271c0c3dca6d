// Two-dimensional pooling and the operations that are its gradients.
#pragma once

#include "ops/op.h"

namespace ef::ops {

// Attributes of all: ksize (4), strides (4), padding, explicit_paddings (8 or none), data_format.
// avg_pool_grad begins with one more, the shape of the pooled input.
extern const Op max_pool;
extern const Op max_pool_grad;
extern const Op max_pool_grad_grad;
extern const Op max_pool_places;
extern const Op avg_pool;
extern const Op avg_pool_grad;

}  // namespace ef::ops
