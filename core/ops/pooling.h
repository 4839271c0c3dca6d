// Two-dimensional pooling and the operations that are its gradients.
#pragma once

#include "ops/window.h"

namespace ef::ops {

// Lists have an entry for each axis of the input, explicit_paddings two.
struct PoolAttrs {
  Ints ksize;
  Ints strides;
  Padding padding;
  std::optional<Ints> explicit_paddings = {};
  DataFormat data_format = DataFormat::kNhwc;

  Window window(const Shape& image, const char* op) const;
};
// Of gradients of poolings, which know the results only.
struct PoolGradAttrs {
  Ints shape;  // of the pooled input
  PoolAttrs pool;
};

struct SpreadAttrs {
  int64_t rows;  // of the pooled input
  int64_t cols;
  PoolAttrs pool;
};

// Whether windows lie side by side, channels last, and their elements can be numbered in a byte: so
// that the gradient needs one byte for each window, and neither the input nor the result.
bool has_small_separate_windows(const PoolAttrs& pool);

extern const Op max_pool;
extern const Op max_pool_grad;
extern const Op max_pool_grad_grad;
extern const Op max_pool_places;
extern const Op max_pool_winners;
extern const Op spread_to_winners;
extern const Op pick_winners;
extern const Op avg_pool;
extern const Op avg_pool_grad;

}  // namespace ef::ops
