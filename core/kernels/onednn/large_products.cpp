// Large products of floats by oneDNN.
#include <dnnl.h>

#include <algorithm>

#include "device/openmp.h"
#include "device/parallel.h"
#include "kernels/cpu/gemm.h"
#include "kernels/onednn/onednn.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

// Below this many multiplications a second thread costs more than it saves.
constexpr int64_t kThreadedSgemm = 600'000;
// Above this many, oneDNN divides the work among many threads better than strips of one matrix do.
constexpr int64_t kSharedSgemm = 100'000'000;
constexpr int kFewThreads = 4;

void sgemm(const Product& p, const float* a, const float* b, float* c) {
  const dnnl_status_t status =
      dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.m, p.n, p.k, 1.0f, a,
                 p.lda, b, p.ldb, p.accumulate ? 1.0f : 0.0f, c, p.ldc);
  if (status != dnnl_success) {
    fail(status == dnnl_out_of_memory ? Code::kResourceExhausted : Code::kInternal,
         "oneDNN's sgemm failed with status ", static_cast<int>(status));
  }
}

void sgemm_alone(const Product& p, const float* a, const float* b, float* c) {
  const onednn::OneThread one_thread;
  sgemm(p, a, b, c);
}

constexpr int64_t kStrip = 64;
// About a tenth of a second of multiplications.
constexpr int64_t kLongSgemm = 10'000'000'000;

// Calls body(begin, end) for strips of rows or columns, whose widths suit oneDNN's inner loops.
template <class Body>
void share(int64_t size, int64_t work, const Body& body) {
  const int64_t strips = (size + kStrip - 1) / kStrip;
  // Each part packs its operands; large products are cut into as few parts as there are threads.
  const int64_t shared =
      work > kLongSgemm && interruptible() ? kLongSgemm * strips / work : strips / max_threads();
  const int64_t least = work > kSharedSgemm ? shared : 300'000 * strips / work + 1;
  parallel_for(strips, least, [&](int64_t begin, int64_t end) {
    body(begin * kStrip, std::min(end * kStrip, size));
  });
}

}  // namespace

void large_sgemm(const Product& p, const float* a, const float* b, float* c) {
  const int64_t work = p.m * p.n * p.k;
  const int64_t a_row = p.transpose_a ? 1 : p.lda;
  const int64_t b_col = p.transpose_b ? p.ldb : 1;
  if (work < kThreadedSgemm || in_parallel()) return sgemm_alone(p, a, b, c);
  if (work > kSharedSgemm && max_threads() > kFewThreads && openmp_works()) {
    prepare_openmp_threads();
    // Strips run one after the other, so that the user can interrupt between them.
    const int64_t rows = interruptible() ? std::max(kLongSgemm / (p.n * p.k), kStrip) : p.m;
    for (int64_t row = 0; row < p.m; row += rows) {
      check_interrupt();
      Product part = p;
      part.m = std::min(rows, p.m - row);
      const BlockSignals no_signals;
      sgemm(part, a + row * a_row, b, c + row * p.ldc);
    }
    return openmp_ran();
  }
  if (p.n >= p.m) {
    share(p.n, work, [&](int64_t begin, int64_t end) {
      Product part = p;
      part.n = end - begin;
      sgemm_alone(part, a, b + begin * b_col, c + begin);
    });
  } else {
    share(p.m, work, [&](int64_t begin, int64_t end) {
      Product part = p;
      part.m = end - begin;
      sgemm_alone(part, a + begin * a_row, b, c + begin * p.ldc);
    });
  }
}

}  // namespace ef::cpu
