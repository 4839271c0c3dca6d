// Operations that make tensors from sizes and a few numbers.
#pragma once

#include "ops/op.h"

namespace ef::ops {

extern const Op fill;        // value; dims
extern const Op zeros;       // shape, dtype (or None: float32)
extern const Op ones;        // shape, dtype (or None: float32)
extern const Op zeros_like;  // input; dtype (or None)
extern const Op ones_like;   // input; dtype (or None)
extern const Op range;       // start, limit, delta
extern const Op linspace;    // start, stop; num, axis
extern const Op eye;         // num_rows, num_columns, batch_shape, dtype

extern const Op matrix_band_part;  // input; num_lower, num_upper
extern const Op diag;              // diagonal; k, num_rows, num_cols
extern const Op diag_part;         // input; k

}  // namespace ef::ops
