// Small matrix products, and those of other types than float. A library computes the large ones.
#include "kernels/cpu/gemm.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/row_loops.h"

namespace ef::cpu {
namespace {

const GemmKernels& kernels() { return best::gemm_kernels(); }

// Row and column strides of a matrix that may be read transposed.
struct Steps {
  int64_t row;
  int64_t col;
};
Steps steps(bool transposed, int64_t stored_row) {
  return transposed ? Steps{1, stored_row} : Steps{stored_row, 1};
}

template <class T>
void clear(const Product& p, T* c) {
  if (p.accumulate) return;
  for (int64_t i = 0; i < p.m; ++i) std::fill_n(c + i * p.ldc, p.n, T(0));
}

// The least number of multiplications of a product for a thread, and of elements to copy.
constexpr int64_t kGrainOfProducts = 300'000;
constexpr int64_t kPackGrain = 32'768;
// The least number of partial sums that a thread adds up.
constexpr int64_t kGrainOfSums = 65'536;
// Up to this many multiplications, copies of the matrices cost more than they save.
constexpr int64_t kTinyProduct = 512;

// Up to this many multiplications nothing is faster than our kernel that copies as little as it
// can; oneDNN's first call takes 25 ms to generate code, too. By the instruction set, as measured.
struct MostMedium {
  int64_t floats;
  int64_t transposed_floats;  // of which the right matrix is transposed: others copy it as well
  int64_t doubles;            // the alternative is our blocked product
};
constexpr MostMedium kMostMediumAvx512{13'000'000, 200'000'000, 200'000'000};
constexpr MostMedium kMostMedium{4'000'000, 13'000'000, 13'000'000};
// A copy of a transposed matrix for fewer rows takes as long as their product.
constexpr int64_t kFewRowsOfFloats = 12;
constexpr int64_t kMostOfFewRows = 500'000;

// The least number of multiplications of a matrix-vector product for a thread, and for one that is
// awake.
constexpr int64_t kGrainOfDots = 65'536;
constexpr int64_t kGrainOfDotsAwake = 24'576;

// The one of these that fits a product of so many multiplications, of which a thread makes at least
// `least`.
int64_t grain_of_dots(int64_t work, int64_t least = 1) {
  const bool small = work < 2 * kGrainOfDots && work >= 2 * kGrainOfDotsAwake;
  const bool asks = small && least <= kGrainOfDotsAwake;
  return asks && loops_follow_closely() ? kGrainOfDotsAwake : kGrainOfDots;
}
// Up to so many vectors of at least so many elements, dot products are faster than a copy of the
// matrix; up to half as many in products of more multiplications, for which oneDNN copies little.
constexpr int64_t kFewVectors = 8;
constexpr int64_t kLeastTerms = 32;
// The most parts of a matrix whose rows are added up separately.
constexpr int64_t kMostParts = 64;

// Complex multiplication, without the recovery of infinities that operator* does.
template <class T>
T wrapping_product(T a, T b) {
  return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

template <class T>
void plain(const Product& p, const T* a, const T* b, T* c) {
  const Steps left = steps(p.transpose_a, p.lda);
  const Steps right = steps(p.transpose_b, p.ldb);
  for (int64_t i = 0; i < p.m; ++i) {
    T* out = c + i * p.ldc;
    if (!p.accumulate) std::fill_n(out, p.n, T(0));
    for (int64_t q = 0; q < p.k; ++q) {
      const T value = a[i * left.row + q * left.col];
      const T factor = p.conjugate_a ? std::conj(value) : value;
      const T* row = b + q * right.row;
      for (int64_t j = 0; j < p.n; ++j) {
        const T other = row[j * right.col];
        out[j] += wrapping_product(factor, p.conjugate_b ? std::conj(other) : other);
      }
    }
  }
}

// The largest part of the right matrix that is copied at once: it stays in the third-level cache
// for the next rows.
constexpr int64_t kPanelDepth = 1024;
constexpr int64_t kPanelCols = 1024;
// Tasks per thread for each panel: if a thread is interrupted, the others take over its tasks.
constexpr int64_t kTasks = 4;

// A product of few rows: threads copy the rows together, then share the columns. A copy of the
// whole right matrix would take as long as the products.
template <class T>
void few_rows(const Product& p, const T* a, const T* b, T* c, const BlockedKernels<T>& kernels) {
  const Steps left = steps(p.transpose_a, p.lda);
  const Steps right = steps(p.transpose_b, p.ldb);
  const int64_t tiles = divide_up(p.m, kernels.tile);
  const int64_t height = tiles * kernels.tile;
  const Scratch packed(passing_bytes(static_cast<size_t>(height * p.k) * sizeof(T)));
  parallel_for(tiles, kPackGrain / (p.k * kernels.tile) + 1, [&](int64_t begin, int64_t end) {
    const int64_t i = begin * kernels.tile;
    const int64_t rows = std::min(end * kernels.tile, p.m) - i;
    for (int64_t p0 = 0; p0 < p.k; p0 += kDepth) {
      const int64_t depth = std::min(kDepth, p.k - p0);
      kernels.pack_left(rows, depth, a + i * left.row + p0 * left.col, left.row, left.col,
                        packed.as<T>() + p0 * height + i * depth);
    }
  });
  const int64_t strips = divide_up(p.n, kernels.strip);
  const int64_t grain = kGrainOfProducts / (p.m * p.k * kernels.strip) + 1;
  parallel_for(strips, grain, [&](int64_t begin, int64_t end) {
    const int64_t j = begin * kernels.strip;
    kernels.multiply_in_place(p.m, std::min(end * kernels.strip, p.n) - j, p.k, packed.as<T>(),
                              b + j * right.col, right.row, right.col, c + j, p.ldc, p.accumulate);
  });
}

// The blocked product: threads copy a panel of b together, then share blocks of c.
template <class T>
void blocked(const Product& p, const T* a, const T* b, T* c, const BlockedKernels<T>& kernels) {
  const Steps left = steps(p.transpose_a, p.lda);
  const Steps right = steps(p.transpose_b, p.ldb);
  if (p.k == 0) return clear(p, c);
  if (p.m == 0 || p.n == 0) return;
  if (p.m * p.n * p.k <= kTinyProduct) {
    return kernels.tiny(p.m, p.n, p.k, a, left.row, left.col, b, right.row, right.col, c, p.ldc,
                        p.accumulate);
  }
  if (p.m <= kBlockRows) return few_rows(p, a, b, c, kernels);
  const int64_t strip = kernels.strip;
  const int64_t most_depth = std::min(p.k, kPanelDepth);
  const int64_t most = divide_up(std::min(p.n, kPanelCols), strip);
  const Scratch panel(
      passing_bytes(static_cast<size_t>(most * strip_stride(most_depth, strip)) * sizeof(T)));
  // Blocks of the same size, and of columns as well where there are few rows.
  const int64_t wanted = in_parallel() ? 1 : kTasks * max_threads();
  const int64_t row_blocks =
      std::max(divide_up(p.m, kBlockRows), std::min(wanted, divide_up(p.m, kBlockRows / 2)));
  const int64_t rows = divide_up(divide_up(p.m, row_blocks), kernels.tile) * kernels.tile;
  for (int64_t j0 = 0; j0 < p.n; j0 += kPanelCols) {
    const int64_t cols = std::min(kPanelCols, p.n - j0);
    const int64_t strips = divide_up(cols, strip);
    const int64_t col_blocks = std::clamp<int64_t>(wanted / row_blocks, 1, divide_up(strips, 8));
    const int64_t block_strips = divide_up(strips, col_blocks);
    for (int64_t p0 = 0; p0 < p.k; p0 += most_depth) {
      check_interrupt();
      const int64_t depth = std::min(most_depth, p.k - p0);
      const int64_t apart = strip_stride(depth, strip);
      parallel_for(strips, kPackGrain / (depth * strip) + 1, [&](int64_t begin, int64_t end) {
        kernels.pack(std::min(end * strip, cols) - begin * strip, depth,
                     b + p0 * right.row + (j0 + begin * strip) * right.col, right.row, right.col,
                     panel.as<T>() + begin * apart);
      });
      const int64_t grain = kGrainOfProducts / (rows * depth * block_strips * strip) + 1;
      parallel_for(divide_up(p.m, rows) * col_blocks, grain, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
          const int64_t i = task / col_blocks * rows;
          const int64_t first = task % col_blocks * block_strips;
          const int64_t j = first * strip;
          if (j >= cols) continue;
          kernels.multiply(std::min(rows, p.m - i), std::min(block_strips * strip, cols - j), depth,
                           a + i * left.row + p0 * left.col, left.row, left.col,
                           panel.as<T>() + first * apart, c + i * p.ldc + j0 + j, p.ldc,
                           p.accumulate || p0 > 0);
        }
      });
    }
  }
}

// Larger complex products are products of real parts and imaginary parts: [re a; im a] times
// [re b | im b].
template <class T>
void by_parts(const Product& p, const std::complex<T>* a, const std::complex<T>* b,
              std::complex<T>* c) {
  const Steps left = steps(p.transpose_a, p.lda);
  const Steps right = steps(p.transpose_b, p.ldb);
  const Scratch memory(static_cast<size_t>(2 * p.m * p.k + 2 * p.k * p.n + 4 * p.m * p.n) *
                       sizeof(T));
  T* const parts_a = memory.as<T>();
  T* const parts_b = parts_a + 2 * p.m * p.k;
  T* const parts_c = parts_b + 2 * p.k * p.n;
  const T sign_a = p.conjugate_a ? T(-1) : T(1);
  const T sign_b = p.conjugate_b ? T(-1) : T(1);
  constexpr int64_t kGrain = 32'768;
  parallel_for(p.m, kGrain / p.k + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* const real = parts_a + i * p.k;
      T* const imag = real + p.m * p.k;
      for (int64_t q = 0; q < p.k; ++q) {
        const std::complex<T> value = a[i * left.row + q * left.col];
        real[q] = value.real();
        imag[q] = sign_a * value.imag();
      }
    }
  });
  parallel_for(p.k, kGrain / p.n + 1, [&](int64_t begin, int64_t end) {
    for (int64_t q = begin; q < end; ++q) {
      T* const real = parts_b + q * 2 * p.n;
      T* const imag = real + p.n;
      for (int64_t j = 0; j < p.n; ++j) {
        const std::complex<T> value = b[q * right.row + j * right.col];
        real[j] = value.real();
        imag[j] = sign_b * value.imag();
      }
    }
  });
  Product real;
  real.m = 2 * p.m;
  real.n = 2 * p.n;
  real.k = p.k;
  real.lda = p.k;
  real.ldb = real.ldc = 2 * p.n;
  gemm(real, parts_a, parts_b, parts_c);
  parallel_for(p.m, kGrain / p.n + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* const upper = parts_c + i * 2 * p.n;
      const T* const lower = upper + p.m * 2 * p.n;
      std::complex<T>* const out = c + i * p.ldc;
      for (int64_t j = 0; j < p.n; ++j) {
        const std::complex<T> value(upper[j] - lower[p.n + j], upper[p.n + j] + lower[j]);
        out[j] = p.accumulate ? out[j] + value : value;
      }
    }
  });
}

// Up to this many multiplications, splitting into real and imaginary parts does not pay.
constexpr int64_t kPlainComplex = 1000;

template <class T>
void complex_gemm(const Product& p, const T* a, const T* b, T* c) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return clear(p, c);
  p.m* p.n* p.k <= kPlainComplex ? plain(p, a, b, c) : by_parts(p, a, b, c);
}

void medium(int64_t m, int64_t n, int64_t k, const float* a, Steps left, const float* b,
            Steps right, float* c, int64_t ldc, bool add) {
  kernels().medium_sgemm(m, n, k, a, left.row, left.col, b, right.row, right.col, c, ldc, add);
}
void medium(int64_t m, int64_t n, int64_t k, const double* a, Steps left, const double* b,
            Steps right, double* c, int64_t ldc, bool add) {
  kernels().medium_dgemm(m, n, k, a, left.row, left.col, b, right.row, right.col, c, ldc, add);
}

// A product that is neither tiny nor large. Threads share the rows, which they have in their caches
// if they have computed them, or the columns where rows are few, above all of a transposed matrix:
// each part of the rows copies it.
template <class T>
void medium_product(const Product& p, const T* a, const T* b, T* c) {
  const Steps left = steps(p.transpose_a, p.lda);
  const Steps right = steps(p.transpose_b, p.ldb);
  const auto block = [&](int64_t i, int64_t rows, int64_t j, int64_t cols) {
    medium(rows, cols, p.k, a + i * left.row, left, b + j * right.col, right, c + i * p.ldc + j,
           p.ldc, p.accumulate);
  };
  // The unit of work is a tile's rows, or a vector of columns, of the widest vectors.
  constexpr int64_t kRows = 8;
  constexpr int64_t kCols = 64 / sizeof(T);
  // A part of fewer units would read the other matrix too often.
  constexpr int64_t kLeastUnits = 2;
  const int64_t threads = max_threads();
  constexpr int64_t kManyRows = 64;  // of a thread
  const bool narrow = p.n < kLeastUnits * kCols * threads;
  const int64_t least = p.transpose_b ? kManyRows : 2 * kRows;
  const bool by_rows = (narrow && p.transpose_b) || p.m >= least * threads;
  const int64_t size = by_rows ? p.m : p.n;
  const int64_t unit = by_rows ? kRows : kCols;
  const int64_t units = divide_up(size, unit);
  const int64_t pieces =
      std::clamp<int64_t>(p.m * p.n * p.k / kGrainOfProducts, 1, divide_up(units, kLeastUnits));
  const int64_t shared = pieces <= threads ? pieces : pieces / threads * threads;
  parallel_for(units, units / std::min(shared, 2 * threads), [&](int64_t begin, int64_t end) {
    const int64_t from = begin * unit;
    const int64_t count = std::min(end * unit, size) - from;
    by_rows ? block(from, count, 0, p.n) : block(0, p.m, from, count);
  });
}

// c[i * step] = row i of the matrix times a vector.
template <class T>
void multiply_rows(int64_t rows, int64_t k, const T* matrix, int64_t row, const T* vector, T* c,
                   int64_t step) {
  // Fewer rows than are multiplied together have other sums.
  parallel_for(rows, grain_of_dots(rows * k, kRowsOfDots * k) / k + 1,
               [&](int64_t begin, int64_t end) {
                 if (end - begin >= kRowsOfDots) {
                   return vector_kernels<T>().multiply_rows(end - begin, k, matrix + begin * row,
                                                            row, vector, c + begin * step, step);
                 }
                 for (int64_t i = begin; i < end; ++i) {
                   c[i * step] = row_loops_of<T>().dot(matrix + i * row, vector, k);
                 }
               });
}

// c = the sum of the matrix's rows, row i times weights[i * step].
template <class T>
void combine_rows(int64_t rows, int64_t n, const T* matrix, int64_t row, const T* weights,
                  int64_t step, T* c) {
  const auto& combine = vector_kernels<T>().combine_rows;
  // Threads share columns, in whole cache lines, and then rows. How many sums are added up does not
  // depend on the number of threads, and so the result does not.
  constexpr int64_t kLeastCols = 1024 / sizeof(T);
  const int64_t blocks = std::max<int64_t>(1, rows * n / kGrainOfDotsAwake);
  const int64_t strips = std::min(blocks, divide_up(n, kLeastCols));
  const int64_t cols = divide_up(divide_up(n, strips), kLeastCols / 16) * (kLeastCols / 16);
  const int64_t parts = std::min<int64_t>(blocks / strips, kMostParts);
  const int64_t height = divide_up(rows, parts);
  const Scratch sums(parts == 1 ? 0 : static_cast<size_t>(parts * n) * sizeof(T));
  T* const to = parts == 1 ? c : sums.as<T>();
  const int64_t grain = grain_of_dots(rows * n) / (height * cols);
  parallel_for(strips * parts, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = std::min(task / strips * height, rows);
      const int64_t j = task % strips * cols;
      if (j >= n) continue;
      combine(std::min(height, rows - i), std::min(cols, n - j), matrix + i * row + j, row,
              weights + i * step, step, to + task / strips * n + j);
    }
  });
  if (parts == 1) return;
  std::copy_n(to, n, c);
  for (int64_t part = 1; part < parts; ++part) row_loops_of<T>().add_into(c, to + part * n, n);
}

bool has_vector(const Product& p) { return (p.m == 1 || p.n == 1 || p.k == 1) && !p.accumulate; }

// Products with one row, one column or one term, if the vectors that they read are contiguous. Not
// inlined, so that small products do not pay for it.
template <class T>
[[gnu::noinline]] bool multiply_vector(const Product& p, const T* a, const T* b, T* c) {
  const Steps left = steps(p.transpose_a, p.lda);
  const Steps right = steps(p.transpose_b, p.ldb);
  const bool row = p.m == 1 && left.col == 1;
  const bool column = p.n == 1 && right.row == 1;
  if (column && (row || !p.transpose_a)) {
    multiply_rows(p.m, p.k, a, p.lda, b, c, p.ldc);
  } else if (row && p.transpose_b) {
    multiply_rows(p.n, p.k, b, p.ldb, a, c, 1);
  } else if (p.m == 1 && !p.transpose_b) {
    combine_rows(p.k, p.n, b, p.ldb, a, left.col, c);
  } else if (p.n == 1 && p.transpose_a && p.ldc == 1) {
    combine_rows(p.k, p.m, a, p.lda, b, right.row, c);
  } else if (p.k == 1 && right.col == 1) {
    parallel_for(p.m, grain_of_dots(p.m * p.n) / p.n + 1, [&](int64_t begin, int64_t end) {
      vector_kernels<T>().outer(end - begin, p.n, a + begin * left.row, left.row, b,
                                c + begin * p.ldc, p.ldc);
    });
  } else {
    return false;
  }
  return true;
}

// A product of a few rows and the rows of a transposed matrix: each is a dot product. Rows of the
// matrix stay in the first-level cache while all vectors pass over them.
template <class T>
[[gnu::noinline]] bool multiply_few(const Product& p, const T* a, const T* b, T* c) {
  if (p.transpose_a || !p.transpose_b || p.accumulate) return false;
  const bool left = p.m <= p.n;  // whether the vectors are the rows of a
  const int64_t count = left ? p.m : p.n;
  const int64_t rows = left ? p.n : p.m;
  const int64_t most = p.m * p.n * p.k > kMostOfFewRows ? kFewVectors / 2 : kFewVectors;
  if (count > most || rows < kRowsOfDots || p.k < kLeastTerms) return false;
  const T* const matrix = left ? b : a;
  const T* const vectors = left ? a : b;
  const int64_t row = left ? p.ldb : p.lda;
  const int64_t apart = left ? p.lda : p.ldb;
  const int64_t step = left ? 1 : p.ldc;
  const int64_t across = left ? p.ldc : 1;
  constexpr int64_t kCached = (16 << 10) / sizeof(T);
  const int64_t block = std::max<int64_t>(1, kCached / (p.k * kRowsOfDots));
  const int64_t grain = grain_of_dots(p.m * p.n * p.k) / (p.k * kRowsOfDots * count) + 1;
  const int64_t groups = rows / kRowsOfDots;  // the last one has the rows that are left over
  parallel_for(groups, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += block) {
      const int64_t next = std::min(i + block, end);
      const int64_t first = i * kRowsOfDots;
      const int64_t last = next == groups ? rows : next * kRowsOfDots;
      for (int64_t v = 0; v < count; ++v) {
        vector_kernels<T>().multiply_rows(last - first, p.k, matrix + first * row, row,
                                          vectors + v * apart, c + first * step + v * across, step);
      }
    }
  });
  return true;
}

template <class T>
bool is_medium(const Product& p) {
  static const MostMedium most = isa() == Isa::kAvx512 ? kMostMediumAvx512 : kMostMedium;
  const int64_t work = p.m * p.n * p.k;
  if constexpr (std::is_same_v<T, double>) return work <= most.doubles;
  if (!p.transpose_b) return work <= most.floats;
  return work <= (p.m <= kFewRowsOfFloats ? kMostOfFewRows : most.transposed_floats);
}

// A product of long columns: parts of the terms, which pass through the cache once, have sums of
// their own. Of a transposed matrix, parts are rows, as of the operations before. How many parts
// there are does not depend on the number of threads, and so the result does not.
template <class T>
[[gnu::noinline]] bool multiply_long(const Product& p, const T* a, const T* b, T* c) {
  constexpr int64_t kMostResults = 128 * 128;
  constexpr int64_t kMostOfRows = 256 * 256;
  constexpr int64_t kFewRows = 32;  // up to which threads can share neither rows nor columns well
  constexpr int64_t kTerms = 1024;  // of a part
  constexpr int64_t kRows = 512;    // of a part
  constexpr int64_t kManyTerms = 64 * kTerms;
  const int64_t results = p.m * p.n;
  const bool by_rows = p.transpose_a && !p.transpose_b && p.k >= kRows && results <= kMostOfRows &&
                       results * p.k >= 2 * kGrainOfProducts;
  if (!by_rows) {
    if (results > kMostResults || p.k < 4 * kTerms) return false;
    const bool short_sides = p.m < kFewRows && p.n < kFewRows;
    if (!short_sides && p.k < kManyTerms && is_medium<T>(p)) return false;
  }
  const Steps left = steps(p.transpose_a, p.lda);
  const Steps right = steps(p.transpose_b, p.ldb);
  const int64_t parts = std::clamp<int64_t>(p.k / (by_rows ? kRows : kTerms), 2, kMostParts);
  const int64_t terms = divide_up(p.k, parts);
  const Scratch memory(static_cast<size_t>(parts * results) * sizeof(T));
  T* const sums = memory.as<T>();
  parallel_for(parts, kGrainOfProducts / (results * terms) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      check_interrupt();
      const int64_t from = std::min(part * terms, p.k);
      medium(p.m, p.n, std::min(terms, p.k - from), a + from * left.col, left, b + from * right.row,
             right, sums + part * results, p.n, false);
    }
  });
  const auto& add_into = row_loops_of<T>().add_into;
  parallel_for(p.m, kGrainOfSums / (parts * p.n) + 1, [&](int64_t begin, int64_t end) {
    T* const first = sums + begin * p.n;
    const int64_t count = (end - begin) * p.n;
    for (int64_t part = 1; part < parts; ++part) add_into(first, first + part * results, count);
    for (int64_t i = begin; i < end; ++i) {
      T* const row = c + i * p.ldc;
      if (p.accumulate) {
        add_into(row, sums + i * p.n, p.n);
      } else {
        std::copy_n(sums + i * p.n, p.n, row);
      }
    }
  });
  return true;
}

}  // namespace

void own_large_sgemm(const Product& p, const float* a, const float* b, float* c) {
  blocked(p, a, b, c, kernels().floats);
}

void gemm(const Product& p, const float* a, const float* b, float* c) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return clear(p, c);
  if (p.m <= kSmallProduct && p.n <= kSmallProduct && p.k <= kSmallProduct && !p.accumulate) {
    const Steps left = steps(p.transpose_a, p.lda);
    const Steps right = steps(p.transpose_b, p.ldb);
    kernels().small_sgemm(p.m, p.n, p.k, a, left.row, left.col, b, right.row, right.col, c, p.ldc);
    return;
  }
  if (has_vector(p) && multiply_vector(p, a, b, c)) return;
  if (multiply_few(p, a, b, c)) return;
  if (multiply_long(p, a, b, c)) return;
  if (is_medium<float>(p)) return medium_product(p, a, b, c);
  large_sgemm(p, a, b, c);
}

void gemm(const Product& p, const double* a, const double* b, double* c) {
  if (p.m == 0 || p.n == 0) return;
  if (p.k == 0) return clear(p, c);
  const bool tiny = p.m * p.n * p.k <= kTinyProduct;
  if (!tiny && has_vector(p) && multiply_vector(p, a, b, c)) return;
  if (!tiny && multiply_few(p, a, b, c)) return;
  if (!tiny && multiply_long(p, a, b, c)) return;
  if (!tiny && is_medium<double>(p)) return medium_product(p, a, b, c);
  blocked(p, a, b, c, kernels().doubles);
}

void gemm(const Product& p, const int32_t* a, const int32_t* b, int32_t* c) {
  blocked(p, reinterpret_cast<const uint32_t*>(a), reinterpret_cast<const uint32_t*>(b),
          reinterpret_cast<uint32_t*>(c), kernels().wrapping32);
}
void gemm(const Product& p, const int64_t* a, const int64_t* b, int64_t* c) {
  blocked(p, reinterpret_cast<const uint64_t*>(a), reinterpret_cast<const uint64_t*>(b),
          reinterpret_cast<uint64_t*>(c), kernels().wrapping64);
}
void gemm(const Product& p, const Complex64* a, const Complex64* b, Complex64* c) {
  complex_gemm(p, a, b, c);
}
void gemm(const Product& p, const Complex128* a, const Complex128* b, Complex128* c) {
  complex_gemm(p, a, b, c);
}

}  // namespace ef::cpu
