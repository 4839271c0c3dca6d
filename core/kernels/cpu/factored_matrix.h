// The LU factors of one matrix, and what follows from them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/scratch.h"
#include "kernels/cpu/dense_matrices.h"
#include "kernels/cpu/matrix_parts.h"

namespace ef::cpu {

// Factors and solves with a copy of one matrix.
template <class T>
class Factors {
 public:
  Factors(const T* matrix, int64_t n)
      : n_(n),
        numbers_(static_cast<size_t>(n * n) * sizeof(T)),
        order_(static_cast<size_t>(n) * sizeof(int32_t)) {
    std::copy_n(matrix, n * n, lu());
    regular_ = factor_lu(lu(), n, order(), &odd_);
  }
  bool regular() const { return regular_; }
  bool odd() const { return odd_; }
  int64_t rows() const { return n_; }
  T pivot(int64_t i) const { return lu()[i * (n_ + 1)]; }
  T determinant() const {
    T product = odd_ ? T(-1) : T(1);
    for (int64_t i = 0; i < n_; ++i) product *= pivot(i);
    return product;
  }

  // x = the solution for b; both are n×k.
  void solve(const T* b, T* x, int64_t k, bool adjoint) const {
    if (!adjoint) {
      for (int64_t i = 0; i < n_; ++i) std::copy_n(b + order()[i] * k, k, x + i * k);
      solve_in_place(x, k, false);
      return;
    }
    const Scratch memory(static_cast<size_t>(n_ * k) * sizeof(T));
    T* const y = memory.as<T>();
    std::copy_n(b, n_ * k, y);
    solve_in_place(y, k, true);
    for (int64_t i = 0; i < n_; ++i) std::copy_n(y + i * k, k, x + order()[i] * k);
  }
  // The same for b = 1.
  void invert(T* x, bool adjoint) const {
    const Scratch memory(static_cast<size_t>(n_ * n_) * sizeof(T));
    T* const one = memory.as<T>();
    std::fill_n(one, n_ * n_, T(0));
    for (int64_t i = 0; i < n_; ++i) one[i * (n_ + 1)] = 1;
    solve(one, x, n_, adjoint);
  }

 private:
  T* lu() const { return numbers_.template as<T>(); }
  int32_t* order() const { return order_.template as<int32_t>(); }
  void solve_in_place(T* x, int64_t k, bool adjoint) const {
    const Triangle lower{.transposed = adjoint, .unit = true};
    const Triangle upper{.lower = false, .transposed = adjoint};
    for_columns(k, n_ * n_, [&](int64_t c, int64_t count) {
      substitute(lu(), n_, n_, adjoint ? upper : lower, x + c, k, count);
      substitute(lu(), n_, n_, adjoint ? lower : upper, x + c, k, count);
    });
  }

  int64_t n_;
  Scratch numbers_;
  Scratch order_;
  bool regular_;
  bool odd_;
};

}  // namespace ef::cpu
