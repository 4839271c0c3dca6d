// Large products of floats by oneDNN.
#include <dnnl.h>

#include <algorithm>
#include <thread>

#include "device/isa.h"
#include "device/openmp.h"
#include "device/parallel.h"
#include "kernels/cpu/gemm.h"
#include "kernels/onednn/onednn.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

// Below this many multiplications a second thread costs more than it saves.
constexpr int64_t kThreadedSgemm = 600'000;
// With more processors, oneDNN divides large products better than we do. This is the count of the
// machine, not the limit that a program sets, because that limit must not change results.
bool has_few_processors() {
  constexpr unsigned kFew = 4;
  static const bool few = std::thread::hardware_concurrency() <= kFew;
  return few;
}

void sgemm(const Product& p, const float* a, const float* b, float* c) {
  const dnnl_status_t status =
      dnnl_sgemm(p.transpose_a ? 'T' : 'N', p.transpose_b ? 'T' : 'N', p.m, p.n, p.k, 1.0f, a,
                 p.lda, b, p.ldb, p.accumulate ? 1.0f : 0.0f, c, p.ldc);
  if (status == dnnl_success) return;
  // At its first product oneDNN generates code. If there is no memory for it, this and all later
  // products fail.
  if (status == dnnl_runtime_error) return own_large_sgemm(p, a, b, c);
  fail(status == dnnl_out_of_memory ? Code::kResourceExhausted : Code::kInternal,
       "oneDNN's sgemm failed with status ", static_cast<int>(status));
}

void sgemm_alone(const Product& p, const float* a, const float* b, float* c) {
  const onednn::OneThread one_thread;
  sgemm(p, a, b, c);
}

// Products of more multiplications are cut into as few parts as there are threads, as each part
// packs its operands.
constexpr int64_t kLargeProduct = 100'000'000;
// About a tenth of a second of multiplications. Longer products check for interrupts in between.
constexpr int64_t kLongProduct = 12'000'000'000;

// Calls body(begin, end) for strips of the rows or columns of a product of `work` multiplications.
// The widths of all strips but the last are multiples of `unit`.
template <class Body>
void share_product(int64_t size, int64_t unit, int64_t work, const Body& body) {
  constexpr int64_t kGrain = 300'000;  // multiplications for a thread
  const int64_t strips = (size + unit - 1) / unit;
  // As many parts for each thread, so that none waits long at the end.
  const int64_t rounds = interruptible() ? divide_up(work, kLongProduct * max_threads()) : 1;
  const int64_t shared = strips / (rounds * max_threads());
  const int64_t least = work > kLargeProduct ? shared : kGrain * strips / work + 1;
  parallel_for(strips, least,
               [&](int64_t begin, int64_t end) { body(begin * unit, std::min(end * unit, size)); });
}

// Widths of strips that suit oneDNN's inner loops.
constexpr int64_t kStrip = 64;

// Whether oneDNN reads rows in place that fall into the same sets of the second-level cache. It
// copies the right matrix for many rows, and blocks of it for many terms.
bool collides(const Product& p) {
  constexpr int64_t kApart = 2048;  // elements apart, rows share sets
  constexpr int64_t kCopiedRows = 512, kCopiedTerms = 256, kVeryFewRows = 64;
  constexpr int64_t kLeastTerms = 128;
  if (p.transpose_b || p.ldb % kApart != 0 || p.m > kCopiedRows || p.k < kLeastTerms) return false;
  return p.k * p.ldb >= kCopiedTerms * kApart && (p.k <= kCopiedTerms || p.m <= kVeryFewRows);
}

// With AVX2 our kernel is at least as fast as oneDNN's. That one reads matrices in place if one
// side is short, and is half as fast if rows are multiples of a page apart. With AVX-512 oneDNN's
// is faster by a tenth where it does not do that.
bool suits_own(const Product& p) {
  constexpr int64_t kLeast = 32;
  static const bool avx2 = isa() == Isa::kAvx2;
  if (p.m < kLeast || p.n < kLeast || !(in_parallel() || has_few_processors())) return false;
  return avx2 || collides(p);
}

}  // namespace

void large_sgemm(const Product& p, const float* a, const float* b, float* c) {
  const int64_t work = p.m * p.n * p.k;
  const int64_t a_row = p.transpose_a ? 1 : p.lda;
  const int64_t b_col = p.transpose_b ? p.ldb : 1;
  if (suits_own(p)) return own_large_sgemm(p, a, b, c);
  if (work < kThreadedSgemm || in_parallel()) return sgemm_alone(p, a, b, c);
  if (work > kLargeProduct && !has_few_processors() && openmp_works()) {
    prepare_openmp_threads();
    // Strips run one after the other, so that the user can interrupt the product between them.
    const int64_t rows = interruptible() ? std::max(kLongProduct / (p.n * p.k), kStrip) : p.m;
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
    share_product(p.n, kStrip, work, [&](int64_t begin, int64_t end) {
      Product part = p;
      part.n = end - begin;
      sgemm_alone(part, a, b + begin * b_col, c + begin);
    });
  } else {
    share_product(p.m, kStrip, work, [&](int64_t begin, int64_t end) {
      Product part = p;
      part.m = end - begin;
      sgemm_alone(part, a + begin * a_row, b, c + begin * p.ldc);
    });
  }
}

}  // namespace ef::cpu
