// Two-dimensional pooling and the operations that are its gradients.
#pragma once

#include "ops/op.h"
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
struct AvgPoolGradAttrs {
  Ints shape;  // of the pooled input
  PoolAttrs pool;
};

extern const Op max_pool;
extern const Op max_pool_grad;
extern const Op max_pool_grad_grad;
extern const Op max_pool_places;
extern const Op avg_pool;
extern const Op avg_pool_grad;

}  // namespace ef::ops
