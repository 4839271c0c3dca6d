// Matrix products without oneDNN, by our own kernels.
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/short_gemm.h"

namespace ef::cpu {

void large_sgemm(const Product& p, const float* a, const float* b, float* c) {
  own_large_sgemm(p, a, b, c);
}

bool multiplies_bfloat16() { return false; }

bool suits_short_gemm(const Product&, int64_t) { return false; }

void short_gemm(const Product&, int64_t, bool, const Bfloat16*, const Bfloat16*, Bfloat16*) {}

}  // namespace ef::cpu
