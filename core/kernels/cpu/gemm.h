// Matrix products on plain memory, which matmul and the convolutions use.
#pragma once

#include <cstdint>
#include <type_traits>

#include "device/isa.h"
#include "tensor/dtype.h"

namespace ef::cpu {

// c = op(a) * op(b) (+ c if `accumulate`), all row-major; op(a) is m×k, op(b) is k×n. `lda`, `ldb`
// and `ldc` are the lengths of the stored rows, in elements.
struct Product {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool conjugate_a = false;
  bool conjugate_b = false;
  int64_t lda = 0;
  int64_t ldb = 0;
  int64_t ldc = 0;
  bool accumulate = false;
};

// One product. Large ones use all threads unless called from within a parallel region.
void gemm(const Product& product, const float* a, const float* b, float* c);
void gemm(const Product& product, const double* a, const double* b, double* c);
void gemm(const Product& product, const int32_t* a, const int32_t* b, int32_t* c);
void gemm(const Product& product, const int64_t* a, const int64_t* b, int64_t* c);
void gemm(const Product& product, const Complex64* a, const Complex64* b, Complex64* c);
void gemm(const Product& product, const Complex128* a, const Complex128* b, Complex128* c);

// The same for large products by our own kernels.
void own_large_sgemm(const Product& product, const float* a, const float* b, float* c);
// The same by oneDNN if it is available (`onednn/`), otherwise by our own kernel
// (`portable/`).
void large_sgemm(const Product& product, const float* a, const float* b, float* c);

// The largest float products (rows, columns and terms) that are computed without oneDNN.
inline constexpr int64_t kSmallProduct = 16;

// Rows of the left matrix that stay in the second-level cache while strips of the right one pass.
inline constexpr int64_t kBlockRows = 192;
// The number of terms added up in registers: a block of the left matrix (kBlockRows × kDepth) stays
// in the second-level cache, a strip of the right one in the first or second.
inline constexpr int64_t kDepth = 256;

// A matrix product in two steps, so that threads share the copy of the right matrix.
template <class T>
struct BlockedKernels {
  // c = op(a) * op(b), or c += op(a) * op(b) with `add`, without copies.
  void (*tiny)(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col,
               const T* b, int64_t b_row, int64_t b_col, T* c, int64_t ldc, bool add);
  // Copies rows of op(a) into strips of `tile` rows, each stored column by column. The last is
  // padded with zeros.
  void (*pack_left)(int64_t rows, int64_t depth, const T* a, int64_t a_row, int64_t a_col,
                    T* strips);
  // Copies columns of op(b) into strips of `strip` columns, each stored row by row, strip_stride()
  // elements apart. The last is padded with zeros.
  void (*pack)(int64_t cols, int64_t depth, const T* b, int64_t b_row, int64_t b_col, T* strips);
  // c = op(a) * the packed matrix, or c += that with `add`. Copies blocks of `a`.
  void (*multiply)(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_row, int64_t a_col,
                   const T* strips, T* c, int64_t ldc, bool add);
  // c = the packed rows `a` * op(b), or c += that with `add`. Copies one strip of b at a time.
  // `a` holds kDepth columns of all rows, as pack_left() stores them, then the next.
  void (*multiply_in_place)(int64_t m, int64_t n, int64_t k, const T* a, const T* b, int64_t b_row,
                            int64_t b_col, T* c, int64_t ldc, bool add);
  int64_t tile;   // rows computed together
  int64_t strip;  // columns
};

// The number of parts of at most this size.
inline int64_t divide_up(int64_t count, int64_t size) { return (count + size - 1) / size; }

// One row more than needed: strips whose sizes are multiples of a page would share sets of the
// cache.
inline int64_t strip_stride(int64_t depth, int64_t strip) { return (depth + 1) * strip; }

struct GemmKernels {
  BlockedKernels<float> floats;
  BlockedKernels<double> doubles;
  BlockedKernels<uint32_t> wrapping32;
  BlockedKernels<uint64_t> wrapping64;
  // c = op(a) * op(b), for m, n, k up to kSmallProduct.
  void (*small_sgemm)(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_col,
                      const float* b, int64_t b_row, int64_t b_col, float* c, int64_t ldc);
  // The same for smaller products. Copies nothing that can be read in place.
  void (*medium_sgemm)(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row,
                       int64_t a_col, const float* b, int64_t b_row, int64_t b_col, float* c,
                       int64_t ldc, bool add);
  void (*medium_dgemm)(int64_t m, int64_t n, int64_t k, const double* a, int64_t a_row,
                       int64_t a_col, const double* b, int64_t b_row, int64_t b_col, double* c,
                       int64_t ldc, bool add);
};

EF_EVERY_ISA(GemmKernels, gemm_kernels)

// Rows that are multiplied by one vector together.
inline constexpr int64_t kRowsOfDots = 8;

// Products of which a side is 1.
template <class T>
struct VectorKernels {
  // c[i * step] = row i of a matrix times a vector of k elements, for at least kRowsOfDots rows,
  // each contiguous.
  void (*multiply_rows)(int64_t rows, int64_t k, const T* a, int64_t a_row, const T* x, T* c,
                        int64_t step);
  // c = the sum of a matrix's rows of n elements, row i times weights[i * step].
  void (*combine_rows)(int64_t rows, int64_t n, const T* a, int64_t a_row, const T* weights,
                       int64_t step, T* c);
  // c -= that sum.
  void (*subtract_rows)(int64_t rows, int64_t n, const T* a, int64_t a_row, const T* weights,
                        int64_t step, T* c);
  // Row i of c = y times x[i * step].
  void (*outer)(int64_t rows, int64_t n, const T* x, int64_t step, const T* y, T* c, int64_t c_row);
};

struct VectorProducts {
  VectorKernels<float> floats;
  VectorKernels<double> doubles;
};

EF_EVERY_ISA(VectorProducts, vector_products)

template <class T>
const VectorKernels<T>& vector_kernels() {
  if constexpr (std::is_same_v<T, float>) {
    return best::vector_products().floats;
  } else {
    return best::vector_products().doubles;
  }
}

}  // namespace ef::cpu
