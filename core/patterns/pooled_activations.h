// Activations whose results only a max pooling reads. Their gradients need the positions of the
// largest elements and the results of the pooling, and not the activations themselves.
#pragma once

#include "ops/elementwise.h"
#include "ops/pooling.h"

namespace ef::patterns {

// Whether the slope of an activation at an element follows from the result, and a gradient of 0
// remains 0.
inline bool has_flat_parts(const Op* activation) {
  return activation == &ops::relu || activation == &ops::relu6;
}
// Whether an operation is the gradient of such an activation.
inline bool is_gradient_with_flat_parts(const Op* op) {
  return op == &ops::relu_grad || op == &ops::relu6_grad;
}

// Whether the memory of a pooled image is worth the time to find the positions, which a byte each
// has to be enough for. Images of unknown sizes may be large.
inline bool saves_image(DType dtype, const Shape& image, AttrsRef pool) {
  constexpr int64_t kLargeBytes = int64_t{1} << 20;
  // With fewer, finding the window of each pixel takes long.
  constexpr int64_t kManyChannels = 16;
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return false;
  if (!ops::has_small_separate_windows(pool.as<ops::PoolAttrs>())) return false;
  if (!image.ranked() || image.rank() != 4) return false;
  if (image[1] < 0 || image[2] < 0 || image[3] < kManyChannels) return false;
  return !image.fully_known() ||
         image.num_elements() * static_cast<int64_t>(element_size(dtype)) >= kLargeBytes;
}

}  // namespace ef::patterns
