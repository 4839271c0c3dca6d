// Matrix products.
#pragma once

#include "ops/op.h"

namespace ef::ops {

// Attributes: transpose_a, transpose_b, adjoint_a, adjoint_b.
extern const Op matmul;

}  // namespace ef::ops
