// Matrix products of 16-bit floats on processors that multiply them natively.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm.h"
#include "tensor/dtype.h"

namespace ef::cpu {

// Whether the processor multiplies bfloat16 faster than float32.
bool multiplies_bfloat16();

// Whether products of this size are faster here; otherwise they are computed in float.
bool suits_short_gemm(const Product& product, int64_t batch);

// `batch` products of contiguous matrices. With `one_right`, they share the right matrix. Sums are
// accumulated in float and rounded once.
void short_gemm(const Product& product, int64_t batch, bool one_right, const Bfloat16* a,
                const Bfloat16* b, Bfloat16* c);

}  // namespace ef::cpu
