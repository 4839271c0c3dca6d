// Operations on images.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

extern const Op resample;  // images, row_indices, row_weights, column_indices, column_weights

struct RemainingBoxesAttrs {
  int64_t limit;
  double overlap;
};
extern const Op remaining_boxes;  // boxes, order

enum class CropMethod : uint8_t { kBilinear, kNearest };
constexpr const char* words_of(CropMethod) { return "bilinear|nearest"; }

struct CropAttrs {
  Ints crop_size;
  CropMethod method = CropMethod::kBilinear;
  double extrapolation_value = 0;
};
extern const Op crop_and_resize;  // image, boxes, box_indices

struct CropGradImageAttrs {
  Ints shape;  // of the images
  CropMethod method = CropMethod::kBilinear;
  DType dtype;
};
extern const Op crop_and_resize_grad_image;  // dy, boxes, box_indices
extern const Op crop_and_resize_grad_boxes;  // dy, image, boxes, box_indices

}  // namespace ef::ops
