// Euclidean norms of values whose squares may overflow or vanish.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct ScaledNormAttrs {
  std::optional<Ints> axis = {};  // None: all axes
  bool keepdims = false;
  bool mean = false;  // whether `total` is the mean of squares, whose root is the norm
};
extern const Op scaled_norm;  // total, tensors... -> norm, length, inverse

}  // namespace ef::ops
