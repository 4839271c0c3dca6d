// Matrix products of bfloat16 by oneDNN, a strip of the rows or columns for each thread.
#include "kernels/cpu/short_gemm.h"

#include <algorithm>
#include <array>

#include "device/isa.h"
#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/onednn/onednn.h"

namespace ef::cpu {

bool multiplies_bfloat16() {
#if defined(__x86_64__)
  // Only the tiles of AMX make bfloat16 fast on Intel's processors. Their AVX-512 instruction does
  // half as many multiplications as float32 does in the same time (measured on Emerald Rapids).
  static const bool does = isa() == Isa::kAvx512 && __builtin_cpu_supports("avx512bf16") &&
                           (!__builtin_cpu_is("intel") || __builtin_cpu_supports("amx-bf16"));
  return does;
#else
  return false;
#endif
}

namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;

// With fewer multiplications, conversions cost less than a call of oneDNN.
constexpr int64_t kLeastWork = 1'000'000;
// The least amount of work for a thread.
constexpr int64_t kGrain = 2'000'000;

struct ProductPlan final : onednn::Plan {
  onednn::Step step;
  size_t scratch_bytes = 0;
};

Desc matrix(int64_t batch, int64_t rows, int64_t cols, int64_t row_step, int64_t col_step,
            int64_t batch_step) {
  constexpr auto kType = dnnl::memory::data_type::bf16;
  return Desc(Dims{batch, rows, cols}, kType, Dims{batch_step, row_step, col_step});
}

// A strip of the product; `a_step` and its siblings are strides to the next product.
struct Strip {
  Product product;
  int64_t batch;
  int64_t a_step;
  int64_t b_step;
  int64_t c_step;
};

ProductPlan* plan_of(const Strip& s) {
  const Product& p = s.product;
  onednn::Key key;
  for (int64_t word : {int64_t{300}, s.batch, p.m, p.n, p.k, int64_t{p.transpose_a},
                       int64_t{p.transpose_b}, p.lda, p.ldb, p.ldc, s.a_step, s.b_step, s.c_step}) {
    key.push_back(word);
  }
  return onednn::plan_for<ProductPlan>(key, "MatMul", [&] {
    const onednn::OneThread one_thread;
    const Desc a =
        matrix(s.batch, p.m, p.k, p.transpose_a ? 1 : p.lda, p.transpose_a ? p.lda : 1, s.a_step);
    const Desc b = matrix(s.b_step == 0 ? 1 : s.batch, p.k, p.n, p.transpose_b ? 1 : p.ldb,
                          p.transpose_b ? p.ldb : 1, s.b_step == 0 ? p.k * p.n : s.b_step);
    const Desc c = matrix(s.batch, p.m, p.n, p.ldc, 1, s.c_step);
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::matmul::primitive_desc pd(onednn::engine(), a, b, c, attr);
    auto made = std::make_unique<ProductPlan>();
    made->step =
        onednn::Step(dnnl::matmul(pd),
                     std::array{DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD},
                     std::array{a, b, c, pd.scratchpad_desc()});
    made->scratch_bytes = pd.scratchpad_desc().get_size();
    return made;
  });
}

void run(const Strip& strip, const Bfloat16* a, const Bfloat16* b, Bfloat16* c) {
  ProductPlan* const plan = plan_of(strip);
  const Scratch scratch(passing_bytes(plan->scratch_bytes));
  plan->step.run_alone({a, b, c, scratch.data()});
}

}  // namespace

bool suits_short_gemm(const Product& p, int64_t batch) {
  return multiplies_bfloat16() && p.m >= 8 && p.n >= 8 && p.k >= 8 &&
         batch * p.m * p.n * p.k >= kLeastWork;
}

void short_gemm(const Product& p, int64_t batch, bool one_right, const Bfloat16* a,
                const Bfloat16* b, Bfloat16* c) {
  const int64_t a_step = p.m * p.k;
  const int64_t b_step = one_right ? 0 : p.k * p.n;
  const int64_t c_step = p.m * p.n;
  const int64_t work = p.m * p.n * p.k;
  if (batch > 1) {
    parallel_for(batch, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
      const Strip strip{p, end - begin, a_step, b_step, c_step};
      run(strip, a + begin * a_step, b + begin * b_step, c + begin * c_step);
    });
    return;
  }
  // Each strip packs its own copy of the shared operand.
  constexpr int64_t kUnit = 64;
  const bool by_rows = p.m >= p.n;
  const int64_t size = by_rows ? p.m : p.n;
  const int64_t units = (size + kUnit - 1) / kUnit;
  const int64_t pieces =
      std::clamp<int64_t>(work / kGrain, 1, std::min<int64_t>(max_threads(), units));
  parallel_for(units, units / pieces, [&](int64_t begin, int64_t end) {
    const int64_t from = begin * kUnit;
    Product part = p;
    (by_rows ? part.m : part.n) = std::min(end * kUnit, size) - from;
    const Strip strip{part, 1, a_step, p.k * p.n, c_step};
    const Bfloat16* const left = by_rows ? a + from * (p.transpose_a ? 1 : p.lda) : a;
    const Bfloat16* const right = by_rows ? b : b + from * (p.transpose_b ? p.ldb : 1);
    run(strip, left, right, c + (by_rows ? from * p.ldc : from));
  });
}

}  // namespace ef::cpu
