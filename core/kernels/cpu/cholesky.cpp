// Cholesky factors of small matrices, one after the other.
#include "kernels/cpu/cholesky.h"

#include <algorithm>
#include <limits>

#include "device/isa.h"
#include "kernels/cpu/cholesky_loops.h"

namespace ef::cpu {
namespace {

const CholeskyLoops& loops() {
  static const CholeskyLoops& chosen = isa() == Isa::kAvx512 ? avx512::cholesky_loops()
                                       : isa() == Isa::kAvx2 ? avx2::cholesky_loops()
                                                             : baseline::cholesky_loops();
  return chosen;
}

template <class T>
void factor_all(const CholeskyLoopsOf<T>& loops, const Tensor& x, const Tensor& out) {
  const int64_t n = x.shape().back();
  if (n == 0) return;
  const int64_t size = n * n;
  bool good[kMatricesAtOnce];
  for (int64_t start = 0; start < x.size(); start += kMatricesAtOnce * size) {
    const auto count =
        static_cast<int>(std::min<int64_t>(kMatricesAtOnce, (x.size() - start) / size));
    loops.factor(x.data<T>() + start, out.mutable_data<T>() + start, n, count, good);
    for (int m = 0; m < count; ++m) {
      if (good[m]) continue;
      T* const target = out.mutable_data<T>() + start + m * size;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j <= i; ++j) target[i * n + j] = std::numeric_limits<T>::quiet_NaN();
        for (int64_t j = i + 1; j < n; ++j) target[i * n + j] = 0;
      }
    }
  }
}

}  // namespace

void cholesky_factor(KernelContext& context) {
  const Tensor& x = context.input(0);
  if (x.dtype() == DType::kFloat32) {
    factor_all(loops().float32, x, context.output(0));
  } else {
    factor_all(loops().float64, x, context.output(0));
  }
}

}  // namespace ef::cpu
