// Matrix products of 16-bit floats on processors that multiply them themselves.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm.h"
#include "tensor/dtype.h"

namespace ef::cpu {

// Whether products of this size are worth it here: else they are computed in float.
bool suits_short_gemm(const Product& product, int64_t batch);

// `batch` products of matrices that lie one after the other; one matrix serves all where
// `one_right`. Sums are formed in float and rounded once.
void short_gemm(const Product& product, int64_t batch, bool one_right, const Bfloat16* a,
                const Bfloat16* b, Bfloat16* c);

}  // namespace ef::cpu
