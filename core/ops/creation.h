// Operations that make tensors from sizes and scalars.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct FillAttrs {
  Ints dims;
};
extern const Op fill;  // value

struct ConstantAttrs {
  Shape shape;
  DTypeIn<kAnyTypes> dtype = DType::kFloat32;
};
extern const Op zeros;
extern const Op ones;

struct LikeAttrs {
  std::optional<DTypeIn<kAnyTypes>> dtype = {};  // None: that of the input
};
extern const Op zeros_like;  // input
extern const Op ones_like;   // input

extern const Op range;  // start, limit, delta

struct LinspaceAttrs {
  int64_t num;
  int64_t axis = 0;
};
extern const Op linspace;  // start, stop

struct EyeAttrs {
  int64_t num_rows;
  std::optional<int64_t> num_columns = {};
  std::optional<Shape> batch_shape = {};
  DType dtype = DType::kFloat32;
};
extern const Op eye;

struct MatrixBandPartAttrs {
  int64_t num_lower;  // diagonals to keep; -1: all
  int64_t num_upper;
};
extern const Op matrix_band_part;  // input

struct DiagAttrs {
  int64_t k = 0;
  int64_t num_rows = -1;
  int64_t num_cols = -1;
};
extern const Op diag;  // diagonal

struct DiagPartAttrs {
  int64_t k = 0;
};
extern const Op diag_part;  // input

}  // namespace ef::ops
