// Operations on sparse tensors: their indices, one row per element, and products.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct SparseOrderAttrs {
  Ints shape;
  Ints perm;
};
extern const Op sparse_order;
extern const Op sparse_union;
extern const Op sparse_intersection;
extern const Op sparse_multiply;
extern const Op sparse_sum;

struct SparseFlatPlacesAttrs {
  Ints shape;
  Ints axes;
};
extern const Op sparse_flat_places;

struct SparseSlicePlacesAttrs {
  Ints begin;
  Ints size;
  Ints step;
  bool in_order = false;  // whether the indices are known to be in order
};
extern const Op sparse_slice_places;

struct SparseReshapePlacesAttrs {
  Ints shape;
  Ints new_shape;
};
extern const Op sparse_reshape_places;

struct SparseFillRowsAttrs {
  int64_t rows;
};
extern const Op sparse_fill_rows;

struct SparseLayoutAttrs {
  int64_t rows;
  int64_t columns;
};
extern const Op sparse_layout;

struct SparseMatmulAttrs {
  int64_t rows;
  int64_t columns;
  bool adjoint = false;
};
extern const Op sparse_matmul;
extern const Op sparse_dots;

// Of a [rows, inner] and b [inner, columns].
struct SparseProductAttrs {
  int64_t rows;
  int64_t inner;
  int64_t columns;
};
extern const Op sparse_product;

struct SparseProductTermAttrs {
  int64_t rows;
  int64_t inner;
  int64_t columns;
  int64_t of;
};
extern const Op sparse_product_term;

}  // namespace ef::ops
