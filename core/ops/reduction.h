// Reductions over axes, argmax and argmin, and cumulative sums and products.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

// Attributes of all reductions of input_tensor.
struct ReduceAttrs {
  std::optional<Ints> axis = {};  // None: all axes
  bool keepdims = false;
};
extern const Op reduce_sum;
extern const Op reduce_mean;
extern const Op reduce_prod;
extern const Op reduce_max;
extern const Op reduce_min;
extern const Op reduce_all;
extern const Op reduce_any;

struct ArgExtremumAttrs {
  std::optional<int64_t> axis = {};  // None: 0
  DType output_type = DType::kInt64;
};
extern const Op argmax;  // input
extern const Op argmin;

struct ScanAttrs {
  int64_t axis = 0;
  bool exclusive = false;
  bool reverse = false;
};
extern const Op cumsum;   // x
extern const Op cumprod;  // x

struct LinearScanAttrs {
  int64_t axis = 0;
  bool reverse = false;
  bool previous = false;  // whether to multiply by the coefficient of the previous element
};
extern const Op linear_scan;  // coefficients, terms

}  // namespace ef::ops
