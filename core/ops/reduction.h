// Reductions over axes, positions of extremes, and running sums and products.
#pragma once

#include "ops/op.h"

namespace ef::ops {

// input_tensor; axis (kInts, None for all), keepdims
extern const Op reduce_sum;
extern const Op reduce_mean;
extern const Op reduce_prod;
extern const Op reduce_max;
extern const Op reduce_min;
extern const Op reduce_all;
extern const Op reduce_any;

extern const Op argmax;  // input; axis (None: 0), output_type (None: int64)
extern const Op argmin;

extern const Op cumsum;   // x; axis, exclusive, reverse
extern const Op cumprod;  // x; axis, exclusive, reverse

}  // namespace ef::ops
