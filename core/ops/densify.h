// Operations that pad ragged rows, make sparse tensors dense, and count integers.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

struct PadRowsAttrs {
  int64_t width;
};
extern const Op pad_rows;  // values, default_value, splits

struct UnpadRowsAttrs {
  int64_t count;
};
extern const Op unpad_rows;  // padded, splits

struct SparseToDenseAttrs {
  Ints shape;
  bool ordered = true;
};
extern const Op sparse_to_dense;  // values, default_value, indices

struct CountIntegersAttrs {
  int64_t rows;
  int64_t length;
  bool binary;
  DType dtype;
};
extern const Op count_integers;  // arr

}  // namespace ef::ops
