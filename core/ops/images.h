// Operations on images.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op resample;  // images, row_places, row_weights, column_places, column_weights

}  // namespace ef::ops
