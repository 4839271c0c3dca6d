// Linear systems, inverses and determinants of batches of matrices.
#include "kernels/cpu/linear_systems.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>

#include "device/scratch.h"
#include "kernels/cpu/dense_matrices.h"
#include "kernels/cpu/factored_matrix.h"
#include "kernels/cpu/matrix_parts.h"
#include "ops/linear_systems.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

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

// Calls body(factors, index) for each matrix.
template <class Body>
void for_factors(KernelContext& context, const Body& body) {
  const Tensor& a = context.input(0);
  const int64_t n = a.shape().back();
  on_type(a.dtype(), [&]<class T>(T) {
    for_matrices(context.output(0).size(), n * n * n,
                 [&](int64_t i) { body(Factors<T>(a.data<T>() + i * n * n, n), i); });
  });
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
  for_factors(context, [&]<class T>(const Factors<T>& factors, int64_t i) {
    context.output(0).mutable_data<T>()[i] = factors.determinant();
  });
}

void lu_log_determinant(KernelContext& context) {
  for_factors(context, [&]<class T>(const Factors<T>& factors, int64_t i) {
    T sign = factors.odd() ? T(-1) : T(1);
    T logarithm = 0;
    for (int64_t k = 0; k < factors.rows(); ++k) {
      const T pivot = factors.pivot(k);
      logarithm += std::log(std::abs(pivot));
      if (pivot == 0) {
        sign = 0;
      } else if (std::isnan(pivot)) {
        sign = pivot;
      } else if (pivot < 0) {
        sign = -sign;
      }
    }
    context.output(0).mutable_data<T>()[i] = sign;
    context.output(1).mutable_data<T>()[i] =
        sign == 0 ? -std::numeric_limits<T>::infinity() : logarithm;
  });
}

}  // namespace ef::cpu
