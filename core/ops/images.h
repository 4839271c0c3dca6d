// Operations on images.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op resample;  // images, row_places, row_weights, column_places, column_weights

extern const Op crop_and_resize;             // image, boxes, box_indices; crop_size, method, ...
extern const Op crop_and_resize_grad_image;  // dy, boxes, box_indices; shape, method, dtype
extern const Op crop_and_resize_grad_boxes;  // dy, image, boxes, box_indices

}  // namespace ef::ops
