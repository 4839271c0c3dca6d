// Operations on sparse tensors: the places of elements as rows of indices, and products.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op sparse_order;
extern const Op sparse_union;
extern const Op sparse_flat_places;
extern const Op sparse_slice_places;
extern const Op sparse_reshape_places;
extern const Op sparse_fill_rows;
extern const Op sparse_matmul;
extern const Op sparse_dots;

}  // namespace ef::ops
