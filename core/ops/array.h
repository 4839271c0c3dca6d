// Operations on shape and place: reshaping, joining, splitting, slicing, padding, repeating.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op reshape;       // tensor; shape (kInts, one entry may be -1)
extern const Op transpose;     // a; perm (kInts or None), conjugate (may be left out)
extern const Op expand_dims;   // input; axis
extern const Op squeeze;       // input; axis (kInts or None)
extern const Op broadcast_to;  // input; shape
extern const Op tile;          // input; multiples
extern const Op reverse;       // tensor; axis (kInts)

extern const Op concat;   // values...; axis
extern const Op stack;    // values...; axis
extern const Op unstack;  // value; num (or None), axis
extern const Op split;    // value; size_splits (kInts), axis

extern const Op slice;               // input_; begin, size (-1: all that remains)
extern const Op strided_slice;       // input_; begin, end, strides, five masks
extern const Op strided_slice_grad;  // dy; shape, begin, end, strides, five masks
extern const Op pad;                 // tensor; paddings (flattened pairs), mode, constant_values
extern const Op mirror_pad_grad;     // dy; paddings, mode

// The index of each word of pad's `mode`.
inline constexpr int64_t kPadConstant = 0;
inline constexpr int64_t kPadReflect = 1;
inline constexpr int64_t kPadSymmetric = 2;

}  // namespace ef::ops
