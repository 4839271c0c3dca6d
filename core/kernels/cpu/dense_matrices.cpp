// Factors of dense matrices and substitution with them: unblocked on blocks of rows or columns,
// matrix products for the rest.
#include "kernels/cpu/dense_matrices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/elementwise_loops.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/row_loops.h"

namespace ef::cpu {
namespace {

constexpr int64_t kSquareBlock = 64;
// Rows below this length do not pay for the call of a vector loop.
constexpr int64_t kVectorRow = 12;

// row += other * factor
template <class T>
void add_scaled(T* row, const T* other, T factor, int64_t n) {
  if (n >= kVectorRow) return row_loops_of<T>().add_scaled(row, other, factor, n);
  for (int64_t i = 0; i < n; ++i) row[i] += other[i] * factor;
}

template <class T>
T dot(const T* x, const T* y, int64_t n) {
  if (n >= kVectorRow) return row_loops_of<T>().dot(x, y, n);
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// row -= the sum of `count` rows of x, each times a factor. For few columns, whose sums stay in
// registers.
template <int kColumns, class T>
void subtract_rows(T* row, const T* x, int64_t ldx, const T* factors, int64_t step, int64_t count) {
  std::array<T, kColumns> sums;
  std::copy_n(row, kColumns, sums.data());
  for (int64_t j = 0; j < count; ++j) {
    const T factor = factors[j * step];
    for (int c = 0; c < kColumns; ++c) sums[c] -= factor * x[j * ldx + c];
  }
  std::copy_n(sums.data(), kColumns, row);
}

template <class T>
void subtract_rows(T* row, const T* x, int64_t ldx, const T* factors, int64_t step, int64_t count,
                   int64_t k) {
  if (k >= kVectorRow)
    return vector_kernels<T>().subtract_rows(count, k, x, ldx, factors, step, row);
  int64_t c = 0;
  for (; c + 8 <= k; c += 8) subtract_rows<8>(row + c, x + c, ldx, factors, step, count);
  for (; c + 4 <= k; c += 4) subtract_rows<4>(row + c, x + c, ldx, factors, step, count);
  for (; c < k; ++c) subtract_rows<1>(row + c, x + c, ldx, factors, step, count);
}

template <class T>
void divide(T* row, T pivot, int64_t k) {
  if (k >= kVectorRow) {
    const auto type = std::is_same_v<T, float> ? DType::kFloat32 : DType::kFloat64;
    const auto& loops = element_loops().binary[static_cast<int>(Binary::kRealDivide)];
    return loops[static_cast<int>(type)](row, row, &pivot, k, Form::kScalarY, 0);
  }
  for (int64_t c = 0; c < k; ++c) row[c] /= pivot;
}

// Columns that stay in the first-level cache while all rows of a block pass.
template <class T>
constexpr int64_t kCachedColumns = 512 / sizeof(T);

// Rows [first, end) of the solution; the contributions of all other rows are already subtracted.
template <class T>
void substitute_block(const T* a, int64_t lda, Triangle triangle, bool forward, int64_t first,
                      int64_t end, T* x, int64_t ldx, int64_t k) {
  for (; k > kCachedColumns<T>; k -= kCachedColumns<T>, x += kCachedColumns<T>) {
    substitute_block(a, lda, triangle, forward, first, end, x, ldx, kCachedColumns<T>);
  }
  const int64_t row_step = triangle.transposed ? 1 : lda;
  const int64_t col_step = triangle.transposed ? lda : 1;
  for (int64_t i = 0; i < end - first; ++i) {
    const int64_t r = forward ? first + i : end - 1 - i;
    T* const row = x + r * ldx;
    const int64_t from = forward ? first : r + 1;
    const int64_t to = forward ? r : end;
    subtract_rows(row, x + from * ldx, ldx, a + r * row_step + from * col_step, col_step, to - from,
                  k);
    if (triangle.unit) continue;
    divide(row, a[r * (lda + 1)], k);
  }
}

template <class T>
void negated(T* to, const T* from, int64_t rows, int64_t cols, int64_t from_step) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) to[r * cols + c] = -from[r * from_step + c];
  }
}

template <class T>
void exchange_rows(T* a, int64_t n, int64_t i, int64_t j) {
  std::swap_ranges(a + i * n, a + i * n + n, a + j * n);
}

// Columns [first, end) of the LU factors, from row `first` on.
template <class T>
bool factor_panel(T* a, int64_t n, int64_t first, int64_t end, int32_t* order, bool* odd) {
  bool regular = true;
  for (int64_t j = first; j < end; ++j) {
    int64_t best = j;
    for (int64_t r = j + 1; r < n; ++r) {
      if (std::abs(a[r * n + j]) > std::abs(a[best * n + j])) best = r;
    }
    if (best != j) {
      exchange_rows(a, n, j, best);
      std::swap(order[j], order[best]);
      *odd = !*odd;
    }
    const T pivot = a[j * n + j];
    if (pivot == 0) {
      regular = false;
      continue;
    }
    for (int64_t r = j + 1; r < n; ++r) {
      T* const row = a + r * n;
      row[j] /= pivot;
      add_scaled(row + j + 1, a + j * n + j + 1, -row[j], end - j - 1);
    }
  }
  return regular;
}

// The Cholesky factor of a diagonal block.
template <class T>
bool factor_corner(T* a, int64_t lda, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    T* const row = a + j * lda;
    for (int64_t c = 0; c < j; ++c) row[c] = (row[c] - dot(row, a + c * lda, c)) / a[c * (lda + 1)];
    const T pivot = row[j] - dot(row, row, j);
    if (!(pivot > 0) || pivot > std::numeric_limits<T>::max()) return false;
    row[j] = std::sqrt(pivot);
  }
  return true;
}

}  // namespace

template <class T>
void substitute(const T* a, int64_t lda, int64_t n, Triangle triangle, T* x, int64_t ldx,
                int64_t k) {
  if (n == 0 || k == 0) return;
  const bool forward = triangle.lower != triangle.transposed;
  if (n <= kSquareBlock) return substitute_block(a, lda, triangle, forward, 0, n, x, ldx, k);
  const Scratch memory(static_cast<size_t>(kSquareBlock * k) * sizeof(T));
  T* const known = memory.as<T>();
  const int64_t blocks = (n + kSquareBlock - 1) / kSquareBlock;
  for (int64_t b = 0; b < blocks; ++b) {
    const int64_t first = (forward ? b : blocks - 1 - b) * kSquareBlock;
    const int64_t end = std::min(first + kSquareBlock, n);
    const int64_t from = forward ? 0 : end;
    Product p;
    p.m = end - first;
    p.n = k;
    p.k = forward ? first : n - end;
    p.transpose_a = triangle.transposed;
    p.lda = lda;
    p.ldb = ldx;
    p.ldc = k;
    if (p.k > 0) {
      gemm(p, triangle.transposed ? a + from * lda + first : a + first * lda + from, x + from * ldx,
           known);
      for (int64_t r = 0; r < p.m; ++r) add_scaled(x + (first + r) * ldx, known + r * k, T(-1), k);
    }
    substitute_block(a, lda, triangle, forward, first, end, x, ldx, k);
  }
}

template <class T>
bool factor_lu(T* a, int64_t n, int32_t* order, bool* odd) {
  std::iota(order, order + n, 0);
  *odd = false;
  bool regular = true;
  const Scratch memory(n > kSquareBlock ? static_cast<size_t>(n * kSquareBlock) * sizeof(T) : 0);
  for (int64_t first = 0; first < n; first += kSquareBlock) {
    const int64_t end = std::min(first + kSquareBlock, n);
    regular &= factor_panel(a, n, first, end, order, odd);
    if (end == n) break;
    substitute(a + first * (n + 1), n, end - first, Triangle{.unit = true}, a + first * n + end, n,
               n - end);
    T* const left = memory.as<T>();
    negated(left, a + end * n + first, n - end, end - first, n);
    Product p;
    p.m = p.n = n - end;
    p.k = p.lda = end - first;
    p.ldb = p.ldc = n;
    p.accumulate = true;
    gemm(p, left, a + first * n + end, a + end * (n + 1));
  }
  return regular;
}

template <class T>
bool factor_cholesky(T* a, int64_t n) {
  const Scratch memory(n > kSquareBlock ? static_cast<size_t>(n * kSquareBlock) * sizeof(T) : 0);
  for (int64_t first = 0; first < n; first += kSquareBlock) {
    const int64_t end = std::min(first + kSquareBlock, n);
    const int64_t width = end - first;
    T* const corner = a + first * (n + 1);
    if (first > 0) {
      T* const right = memory.as<T>();
      negated(right, a + first * n, width, first, n);
      Product p;
      p.m = n - first;
      p.n = width;
      p.k = p.ldb = first;
      p.lda = p.ldc = n;
      p.transpose_b = true;
      p.accumulate = true;
      gemm(p, a + first * n, right, corner);
    }
    if (!factor_corner(corner, n, width)) return false;
    // The rows below, as columns: so substitution adds up vectors instead of single elements.
    constexpr int64_t kColumns = 64;
    parallel_for(divide_up(n - end, kColumns), 1, [=](int64_t begin, int64_t last) {
      std::array<T, kSquareBlock * kColumns> turned;
      for (int64_t r = end + begin * kColumns; r < std::min(end + last * kColumns, n);
           r += kColumns) {
        const int64_t rows = std::min(kColumns, n - r);
        T* const below = a + r * n + first;
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t c = 0; c < width; ++c) turned[c * kColumns + i] = below[i * n + c];
        }
        substitute_block(corner, n, Triangle{}, true, 0, width, turned.data(), kColumns, rows);
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t c = 0; c < width; ++c) below[i * n + c] = turned[c * kColumns + i];
        }
      }
    });
  }
  for (int64_t r = 0; r < n; ++r) std::fill(a + r * n + r + 1, a + (r + 1) * n, T(0));
  return true;
}

template void substitute(const float*, int64_t, int64_t, Triangle, float*, int64_t, int64_t);
template void substitute(const double*, int64_t, int64_t, Triangle, double*, int64_t, int64_t);
template bool factor_lu(float*, int64_t, int32_t*, bool*);
template bool factor_lu(double*, int64_t, int32_t*, bool*);
template bool factor_cholesky(float*, int64_t);
template bool factor_cholesky(double*, int64_t);

}  // namespace ef::cpu
