// Two-dimensional pooling and the operations that are its gradients.
#pragma once

#include "ops/window.h"

namespace ef::ops {

// Lists have one entry per axis of the input, explicit_paddings two.
struct PoolAttrs {
  Ints ksize;
  Ints strides;
  Padding padding;
  std::optional<Ints> explicit_paddings = {};
  DataFormat data_format = DataFormat::kNhwc;

  Window window(const Shape& image, const char* op) const;
};
// For gradients of poolings whose input is not kept.
struct PoolGradAttrs {
  Ints shape;  // of the pooled input
  PoolAttrs pool;
};

struct SpreadAttrs {
  int64_t rows;  // of the pooled input
  int64_t cols;
  PoolAttrs pool;
};

// Whether windows do not overlap, channels are the last axis, and the index of a window's element
// fits one byte. Then the gradient needs one byte for each window, and neither the input nor the
// result.
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
