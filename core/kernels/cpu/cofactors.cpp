// Derivatives of determinants, also of singular matrices: products of pivots, without a division by
// them. With P A Q = L D V, the derivatives at A are those at the diagonal matrix D, multiplied by
// the inverses of L and V. Elimination with the largest pivots keeps these two well conditioned:
// their diagonals are 1, and no other element is larger.
#include "kernels/cpu/cofactors.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "kernels/cpu/dense_matrices.h"
#include "kernels/cpu/factored_matrix.h"
#include "kernels/cpu/matrix_parts.h"

namespace ef::cpu {
namespace {

template <class T>
constexpr bool kIsReal = std::is_floating_point_v<T>;
template <class T>
using RealPartOf = decltype(std::abs(T{}));

template <class T>
T conjugate_of(T x) {
  if constexpr (kIsReal<T>) {
    return x;
  } else {
    return std::conj(x);
  }
}

// A size that orders numbers as pivots need it, without a square root.
template <class T>
RealPartOf<T> pivot_size(T x) {
  if constexpr (kIsReal<T>) {
    return std::abs(x);
  } else {
    return std::abs(x.real()) + std::abs(x.imag());
  }
}

template <class T>
T scaled(T x, int64_t exponent) {
  if (exponent == 0) return x;
  constexpr int64_t kMost = 1 << 20;
  const auto shift = static_cast<int>(std::clamp(exponent, -kMost, kMost));
  if constexpr (kIsReal<T>) {
    return std::ldexp(x, shift);
  } else {
    return {std::ldexp(x.real(), shift), std::ldexp(x.imag(), shift)};
  }
}

// A product that neither overflows nor underflows: value * 2^exponent.
template <class T>
struct WideProduct {
  T value = 1;
  int64_t exponent = 0;

  friend WideProduct operator*(WideProduct x, const WideProduct& y) {
    x.value *= y.value;
    x.exponent += y.exponent;
    const RealPartOf<T> size = pivot_size(x.value);
    // The product of two numbers within these bounds exists.
    if ((size > RealPartOf<T>(1e-15) && size < RealPartOf<T>(1e15)) || size == 0) return x;
    if (!std::isfinite(size)) return x;
    const int shift = std::ilogb(size);
    x.value = scaled(x.value, -shift);
    x.exponent += shift;
    return x;
  }
};

// The exponent that all products can have in common.
template <class T>
int64_t common_exponent(const std::vector<WideProduct<T>>& products) {
  int64_t most = std::numeric_limits<int64_t>::min();
  for (const auto& product : products) {
    if (product.value != T(0)) most = std::max(most, product.exponent);
  }
  return most == std::numeric_limits<int64_t>::min() ? 0 : most;
}

template <class T>
void turn(std::vector<T>& x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) std::swap(x[i * n + j], x[j * n + i]);
  }
}

// The memory for the factors of matrices of n rows.
template <class T>
class Pivoted {
 public:
  explicit Pivoted(int64_t n)
      : n_(n),
        factors_(static_cast<size_t>(n * n)),
        x_(factors_.size()),
        rows_(static_cast<size_t>(n)),
        columns_(rows_.size()),
        pivots_(rows_.size()),
        before_(rows_.size() + 1),
        after_(before_.size()) {}

  void factor(const T* a) {
    std::copy_n(a, n_ * n_, factors_.data());
    std::iota(rows_.begin(), rows_.end(), 0);
    std::iota(columns_.begin(), columns_.end(), 0);
    odd_ = false;
    for (int64_t k = 0; k < n_ && eliminate(k); ++k) {
    }
    for (int64_t k = 0; k < n_; ++k) {
      const T pivot = at(k, k);
      pivots_[k] = WideProduct<T>{} * WideProduct<T>{pivot};
      if (pivot == T(0)) continue;
      for (int64_t c = k + 1; c < n_; ++c) at(k, c) /= pivot;
    }
    for (int64_t k = 0; k < n_; ++k) before_[k + 1] = before_[k] * pivots_[k];
    for (int64_t k = n_; k > 0; --k) after_[k - 1] = after_[k] * pivots_[k - 1];
  }

  // The conjugates of the derivatives of the determinant: sign * Pᵀ L⁻ᵀ E V⁻ᵀ Qᵀ, where E has the
  // products of the other pivots on its diagonal.
  void cofactors(T* out) {
    others_.resize(rows_.size());
    for (int64_t k = 0; k < n_; ++k) others_[k] = before_[k] * after_[k + 1];
    const int64_t exponent = common_exponent(others_);
    std::ranges::fill(x_, T(0));
    for (int64_t k = 0; k < n_; ++k) {
      x_[k * (n_ + 1)] = scaled(others_[k].value, others_[k].exponent - exponent);
    }
    finish(exponent, out);
  }

  // The conjugates of the derivatives of <w, cofactors>.
  void gradient(const T* w, T* out) {
    std::vector<T> inner(factors_.size());  // L⁻¹ P w Q V⁻¹
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) inner[i * n_ + j] = w[rows_[i] * n_ + columns_[j]];
    }
    solve(inner, true, false);
    turn(inner, n_);
    solve(inner, false, true);
    turn(inner, n_);
    others_.assign(factors_.size(), {});  // the products without two pivots
    for (int64_t i = 0; i < n_; ++i) {
      WideProduct<T> between;
      others_[i * (n_ + 1)].value = 0;
      for (int64_t j = i + 1; j < n_; ++j) {
        others_[i * n_ + j] = others_[j * n_ + i] = before_[i] * between * after_[j + 1];
        between = between * pivots_[j];
      }
    }
    const int64_t exponent = common_exponent(others_);
    std::ranges::fill(x_, T(0));
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        if (i == j) continue;
        const WideProduct<T>& other = others_[i * n_ + j];
        const T factor = scaled(other.value, other.exponent - exponent);
        x_[i * n_ + j] = -factor * inner[j * n_ + i];
        x_[i * (n_ + 1)] += factor * inner[j * (n_ + 1)];
      }
    }
    finish(exponent, out);
  }

 private:
  T& at(int64_t row, int64_t column) { return factors_[row * n_ + column]; }

  // Returns false if nothing is left.
  bool eliminate(int64_t k) {
    int64_t row = k, column = k;
    RealPartOf<T> most = pivot_size(at(k, k));
    for (int64_t r = k; r < n_; ++r) {
      for (int64_t c = k; c < n_; ++c) {
        const RealPartOf<T> size = pivot_size(at(r, c));
        if (size > most) most = size, row = r, column = c;
      }
    }
    if (most == 0) return false;
    if (row != k) {
      std::swap_ranges(&at(k, 0), &at(k, 0) + n_, &at(row, 0));
      std::swap(rows_[k], rows_[row]);
      odd_ = !odd_;
    }
    if (column != k) {
      for (int64_t r = 0; r < n_; ++r) std::swap(at(r, k), at(r, column));
      std::swap(columns_[k], columns_[column]);
      odd_ = !odd_;
    }
    const T* const from = &at(k, 0);
    for (int64_t r = k + 1; r < n_; ++r) {
      T* const to = &at(r, 0);
      const T factor = to[k] /= from[k];
      for (int64_t c = k + 1; c < n_; ++c) to[c] -= factor * from[c];
    }
    return true;
  }

  // x = the solution for x of the system with L, or with V, or with its transpose.
  void solve(std::vector<T>& x, bool lower, bool transposed) const {
    if constexpr (kIsReal<T>) {
      const Triangle triangle{.lower = lower, .transposed = transposed, .unit = true};
      substitute(factors_.data(), n_, n_, triangle, x.data(), n_, n_);
    } else {
      const bool forward = lower != transposed;
      for (int64_t i = 0; i < n_; ++i) {
        const int64_t row = forward ? i : n_ - 1 - i;
        for (int64_t j = 0; j < i; ++j) {
          const int64_t known = forward ? j : n_ - 1 - j;
          const T factor = factors_[transposed ? known * n_ + row : row * n_ + known];
          for (int64_t c = 0; c < n_; ++c) x[row * n_ + c] -= factor * x[known * n_ + c];
        }
      }
    }
  }

  // out = the conjugate of sign * 2^exponent * Pᵀ L⁻ᵀ x V⁻ᵀ Qᵀ
  void finish(int64_t exponent, T* out) {
    solve(x_, true, true);
    turn(x_, n_);
    solve(x_, false, false);
    for (int64_t j = 0; j < n_; ++j) {
      for (int64_t i = 0; i < n_; ++i) {
        const T value = scaled(x_[j * n_ + i], exponent);
        out[rows_[i] * n_ + columns_[j]] = conjugate_of(odd_ ? -value : value);
      }
    }
  }

  int64_t n_;
  std::vector<T> factors_, x_;
  std::vector<int64_t> rows_, columns_;
  bool odd_ = false;
  std::vector<WideProduct<T>> pivots_, before_, after_, others_;
};

// Elimination with the largest pivots is slower than with the largest of a column, which suffices
// for larger regular matrices: then the derivatives are the determinant times the inverse. Returns
// false for other matrices.
template <class T>
bool regular_cofactors(const T* a, int64_t n, T* out) {
  constexpr int64_t kLeastRows = 24;
  if constexpr (kIsReal<T>) {
    if (n < kLeastRows) return false;
    const Factors<T> factors(a, n);
    if (!factors.regular()) return false;
    factors.invert(out, true);
    const auto length = [n](const T* x) {
      return std::sqrt(std::inner_product(x, x + n * n, x, T(0)));
    };
    // From this condition on, the inverse has few digits.
    if (!(length(a) * length(out) * std::cbrt(std::numeric_limits<T>::epsilon()) < 1)) return false;
    WideProduct<T> determinant{factors.odd() ? T(-1) : T(1)};
    for (int64_t i = 0; i < n; ++i) determinant = determinant * WideProduct<T>{factors.pivot(i)};
    const auto [value, exponent] = determinant;
    for (int64_t i = 0; i < n * n; ++i) out[i] = scaled(out[i] * value, exponent);
    return true;
  }
  return false;
}

template <class Body>
void on_any_type(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat32: body(float{}); break;
    case DType::kFloat64: body(double{}); break;
    case DType::kComplex64: body(Complex64{}); break;
    default: body(Complex128{}); break;
  }
}

// Calls body(factors, matrix, index of its first element) for each matrix of n rows; `factors` has
// room for it.
template <class Body>
void for_each_matrix(KernelContext& context, const Body& body) {
  const Tensor& a = context.input(0);
  if (a.size() == 0) return;
  const int64_t n = a.shape().back();
  on_any_type(a.dtype(), [&]<class T>(T) {
    parallel_for(a.size() / (n * n), kSystemGrain / (4 * n * n * n) + 1,
                 [&](int64_t begin, int64_t end) {
                   Pivoted<T> factors(n);
                   for (int64_t i = begin; i < end; ++i) {
                     body(factors, a.data<T>() + i * n * n, i * n * n);
                   }
                 });
  });
}

}  // namespace

void cofactors(KernelContext& context) {
  const int64_t n = context.input(0).shape().back();
  for_each_matrix(context, [&]<class T>(Pivoted<T>& factors, const T* a, int64_t first) {
    T* const out = context.output(0).mutable_data<T>() + first;
    if (regular_cofactors(a, n, out)) return;
    factors.factor(a);
    factors.cofactors(out);
  });
}

void cofactors_grad(KernelContext& context) {
  for_each_matrix(context, [&]<class T>(Pivoted<T>& factors, const T* a, int64_t first) {
    factors.factor(a);
    factors.gradient(context.input(1).data<T>() + first,
                     context.output(0).mutable_data<T>() + first);
  });
}

}  // namespace ef::cpu
