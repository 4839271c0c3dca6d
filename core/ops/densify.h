// Operations that make dense tensors of rows of many lengths, of places with values, and of counts.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op pad_rows;         // values, default_value, splits; width
extern const Op unpad_rows;       // padded, splits; count
extern const Op sparse_to_dense;  // values, default_value, indices; shape, ordered
extern const Op count_integers;   // arr; rows, length, binary, dtype

}  // namespace ef::ops
