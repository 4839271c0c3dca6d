// Factors of dense matrices and substitution with them, in place; rows are contiguous.
#pragma once

#include <cstdint>

namespace ef::cpu {

// How a triangular matrix is read.
struct Triangle {
  bool lower = true;
  bool transposed = false;
  bool unit = false;  // ones on the diagonal, whatever is stored there
};

// Replaces the n×k matrix `x`, with row stride `ldx`, by the solution of A X = x. Division by zero
// follows IEEE arithmetic.
template <class T>
void substitute(const T* a, int64_t lda, int64_t n, Triangle triangle, T* x, int64_t ldx,
                int64_t k);

// Replaces a matrix by L (below its unit diagonal) and U of P A = L U, where row i of P A is row
// order[i] of A. `odd` tells whether the permutation is odd. False if a pivot is zero.
template <class T>
bool factor_lu(T* a, int64_t n, int32_t* order, bool* odd);

// Replaces a matrix, of which only the lower triangle is read, by its Cholesky factor with zeros
// above the diagonal. False if it has none.
template <class T>
bool factor_cholesky(T* a, int64_t n);

}  // namespace ef::cpu
