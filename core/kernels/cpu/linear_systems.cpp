// Linear systems, inverses and determinants of batches of matrices.
#include "kernels/cpu/linear_systems.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/dense_matrices.h"
#include "ops/linear_systems.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

// The least number of multiplications for a thread.
constexpr int64_t kSystemGrain = 65'536;

template <class Body>
void on_type(DType dtype, const Body& body) {
  dtype == DType::kFloat32 ? body(float{}) : body(double{});
}

// Maps matrices of the result to those of an operand whose batch axes broadcast to it.
class Broadcast {
 public:
  Broadcast(const Shape& operand, const Shape& result) {
    const int extra = result.rank() - operand.rank();
    int64_t step = 1;
    for (int axis = result.rank() - 3; axis >= 0; --axis) {
      const int64_t size = axis >= extra ? operand[axis - extra] : 1;
      sizes_[axis] = result[axis];
      steps_[axis] = size == 1 ? 0 : step;
      step *= size;
    }
    rank_ = result.rank() - 2;
  }
  int64_t operator()(int64_t index) const {
    int64_t at = 0;
    for (int axis = rank_ - 1; axis >= 0; --axis) {
      at += index % sizes_[axis] * steps_[axis];
      index /= sizes_[axis];
    }
    return at;
  }

 private:
  int rank_;
  int64_t sizes_[kMaxRank];
  int64_t steps_[kMaxRank];
};

// Calls body(first column, columns) for parts of `k` columns that each take `cost`, on several
// threads if there are many.
template <class Body>
void for_columns(int64_t k, int64_t cost, const Body& body) {
  constexpr int64_t kLeastColumns = 48;
  parallel_for(k, std::max(kLeastColumns, 4 * kSystemGrain / std::max<int64_t>(cost, 1)),
               [&](int64_t begin, int64_t end) { body(begin, end - begin); });
}

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
  T pivot(int64_t i) const { return lu()[i * (n_ + 1)]; }

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

// Calls body(index) for each of `count` matrices that take this many multiplications.
template <class Body>
void for_matrices(int64_t count, int64_t cost, const Body& body) {
  if (count == 1) return body(int64_t{0});
  parallel_for(count, kSystemGrain / std::max<int64_t>(cost, 1) + 1,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) body(i);
               });
}

// Replaces the n×k matrix `x` by the solution of a tridiagonal system, by elimination that
// exchanges neighbouring rows. `u` has room for the three diagonals of U. Returns false if a pivot
// is zero.
template <class T>
bool solve_tridiagonal(const T* bands, int64_t n, T* u, T* x, int64_t k) {
  const T* const above = bands;
  const T* const main = bands + n;
  const T* const below = bands + 2 * n;
  T* const pivots = u;
  T* const first = u + n;
  T* const second = u + 2 * n;
  // The elements of the current row in this column and the next.
  T here = main[0];
  T next = n > 1 ? above[0] : T(0);
  for (int64_t i = 0; i + 1 < n; ++i) {
    T* const row = x + i * k;
    T* const other = row + k;
    const T beyond = i + 2 < n ? above[i + 1] : T(0);
    if (std::abs(below[i + 1]) > std::abs(here)) {
      pivots[i] = below[i + 1];
      first[i] = main[i + 1];
      second[i] = beyond;
      const T factor = here / pivots[i];
      here = next - factor * main[i + 1];
      next = -factor * beyond;
      for (int64_t c = 0; c < k; ++c) {
        const T value = row[c];
        row[c] = other[c];
        other[c] = value - factor * row[c];
      }
    } else {
      if (here == T(0)) return false;
      pivots[i] = here;
      first[i] = next;
      second[i] = T(0);
      const T factor = below[i + 1] / here;
      here = main[i + 1] - factor * next;
      next = beyond;
      for (int64_t c = 0; c < k; ++c) other[c] -= factor * row[c];
    }
  }
  if (here == T(0)) return false;
  pivots[n - 1] = here;
  for (int64_t i = n - 1; i >= 0; --i) {
    T* const row = x + i * k;
    for (int64_t c = 0; c < k; ++c) {
      T value = row[c];
      if (i + 1 < n) value -= first[i] * row[k + c];
      if (i + 2 < n) value -= second[i] * row[2 * k + c];
      row[c] = value / pivots[i];
    }
  }
  return true;
}

}  // namespace

void triangle_solve(KernelContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const int64_t n = a.shape().back();
  const int64_t k = out.shape().back();
  const auto& attrs = context.attrs<ops::TriangleSolveAttrs>();
  const Triangle triangle{.lower = attrs.lower, .transposed = attrs.adjoint};
  const Broadcast a_of(a.shape(), out.shape());
  const Broadcast b_of(b.shape(), out.shape());
  on_type(a.dtype(), [&]<class T>(T) {
    for_matrices(out.size() / (n * k), n * n * k, [&](int64_t i) {
      T* const x = out.mutable_data<T>() + i * n * k;
      std::copy_n(b.data<T>() + b_of(i) * n * k, n * k, x);
      const T* const matrix = a.data<T>() + a_of(i) * n * n;
      for_columns(k, n * n, [&](int64_t c, int64_t count) {
        substitute(matrix, n, n, triangle, x + c, k, count);
      });
    });
  });
}

void lu_solve(KernelContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const int64_t n = a.shape().back();
  const int64_t k = b.shape().back();
  std::atomic<bool> regular{true};
  on_type(a.dtype(), [&]<class T>(T) {
    for_matrices(a.size() / (n * n), n * n * (n + k), [&](int64_t i) {
      const Factors<T> factors(a.data<T>() + i * n * n, n);
      if (!factors.regular()) return regular.store(false, std::memory_order_relaxed);
      factors.solve(b.data<T>() + i * n * k, out.mutable_data<T>() + i * n * k, k,
                    context.attrs<ops::LuAttrs>().adjoint);
    });
  });
  if (!regular.load()) {
    invalid_argument("Input matrix is not invertible. [Op:", context.tf_name(), "]");
  }
}

void lu_factors(KernelContext& context) {
  const Tensor& a = context.input(0);
  if (a.size() == 0) return;
  const int64_t n = a.shape().back();
  std::atomic<bool> regular{true};
  on_type(a.dtype(), [&]<class T>(T) {
    T* const factors = context.output(0).mutable_data<T>();
    int32_t* const order = context.output(1).mutable_data<int32_t>();
    std::copy_n(a.data<T>(), a.size(), factors);
    for_matrices(a.size() / (n * n), n * n * n, [&](int64_t i) {
      bool odd;
      if (factor_lu(factors + i * n * n, n, order + i * n, &odd)) return;
      regular.store(false, std::memory_order_relaxed);
    });
  });
  if (!regular.load()) {
    invalid_argument("Input is not invertible. [Op:", context.tf_name(), "]");
  }
}

void tridiagonal_solve(KernelContext& context) {
  const Tensor& bands = context.input(0);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const int64_t n = bands.shape().back();
  const int64_t k = out.shape().back();
  std::atomic<bool> regular{true};
  const auto run = [&]<class T>(T) {
    T* const x = out.mutable_data<T>();
    std::copy_n(context.input(1).data<T>(), out.size(), x);
    for_matrices(bands.size() / (3 * n), n * (k + 4) * 4, [&](int64_t i) {
      const Scratch memory(static_cast<size_t>(3 * n) * sizeof(T));
      if (solve_tridiagonal(bands.data<T>() + i * 3 * n, n, memory.as<T>(), x + i * n * k, k)) {
        return;
      }
      regular.store(false, std::memory_order_relaxed);
    });
  };
  switch (bands.dtype()) {
    case DType::kFloat32: run(float{}); break;
    case DType::kFloat64: run(double{}); break;
    case DType::kComplex64: run(std::complex<float>{}); break;
    default: run(std::complex<double>{}); break;
  }
  if (!regular.load()) {
    invalid_argument("The matrix is not invertible. [Op:", context.tf_name(), "]");
  }
}

void lu_inverse(KernelContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const int64_t n = a.shape().back();
  std::atomic<bool> regular{true};
  on_type(a.dtype(), [&]<class T>(T) {
    for_matrices(a.size() / (n * n), 2 * n * n * n, [&](int64_t i) {
      const Factors<T> factors(a.data<T>() + i * n * n, n);
      if (!factors.regular()) return regular.store(false, std::memory_order_relaxed);
      factors.invert(out.mutable_data<T>() + i * n * n, context.attrs<ops::LuAttrs>().adjoint);
    });
  });
  if (!regular.load()) {
    invalid_argument("Input is not invertible. [Op:", context.tf_name(), "]");
  }
}

void lu_determinant(KernelContext& context) {
  const Tensor& a = context.input(0);
  const int64_t count = context.output(0).size();
  if (count == 0) return;
  const int64_t n = a.shape().back();
  on_type(a.dtype(), [&]<class T>(T) {
    for_matrices(count, n * n * n, [&](int64_t i) {
      const Factors<T> factors(a.data<T>() + i * n * n, n);
      T product = factors.odd() ? T(-1) : T(1);
      T sign = product;
      T logarithm = 0;
      for (int64_t k = 0; k < n; ++k) {
        const T pivot = factors.pivot(k);
        product *= pivot;
        logarithm += std::log(std::abs(pivot));
        if (pivot == 0) {
          sign = 0;
        } else if (std::isnan(pivot)) {
          sign = pivot;
        } else if (pivot < 0) {
          sign = -sign;
        }
      }
      context.output(0).mutable_data<T>()[i] = product;
      context.output(1).mutable_data<T>()[i] = sign;
      context.output(2).mutable_data<T>()[i] =
          sign == 0 ? -std::numeric_limits<T>::infinity() : logarithm;
    });
  });
}

}  // namespace ef::cpu
