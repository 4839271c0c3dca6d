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
// order[i] of A. `odd` becomes whether the permutation is odd. Returns false if a pivot is zero.
template <class T>
bool factor_lu(T* a, int64_t n, int32_t* order, bool* odd);

// Replaces a matrix by its Cholesky factor with zeros above the diagonal. Reads only the lower
// triangle. Returns false if there is no factor.
template <class T>
bool factor_cholesky(T* a, int64_t n);

}  // namespace ef::cpu
