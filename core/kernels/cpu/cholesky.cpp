// Cholesky factors: of small matrices, one per vector lane.
#include "kernels/cpu/cholesky.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/cholesky_loops.h"
#include "kernels/cpu/dense_matrices.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/matrix_parts.h"
#include "kernels/cpu/transpose.h"

namespace ef::cpu {
namespace {

// The largest matrices that are factored in lanes: the more lanes are full, the larger.
int64_t most_rows(int64_t matrices, int64_t lanes) {
  if (matrices >= lanes) return 160;
  return 2 * matrices >= lanes ? 64 : 32;
}

const CholeskyLoops& factor_loops() { return best::cholesky_loops(); }

const TransposeKernels& transposes() { return best::transpose_kernels(); }

// Copies matrices of n rows into lanes and back.
template <class T>
class Lanes {
 public:
  Lanes(int lanes, int64_t n)
      : lanes_(lanes),
        n_(n),
        stride_(row_stride(n)),
        bytes_(static_cast<size_t>(lanes * n * stride_) * sizeof(T)),
        memory_(bytes_),
        transpose_(sizeof(T) == 4 ? transposes().bytes4 : transposes().bytes8) {}
  T* data() const { return memory_.template as<T>(); }
  void fill(const T* matrices, int64_t count) const {
    if (count < lanes_) std::memset(data(), 0, bytes_);
    for_runs([&](int64_t from, int64_t size) {
      transpose_(row(from), matrices + from * n_, size, count, lanes_, n_ * n_);
    });
  }
  void empty(T* matrices, int64_t count) const {
    for_runs([&](int64_t from, int64_t size) {
      transpose_(matrices + from * n_, row(from), count, size, n_ * n_, lanes_);
    });
  }

 private:
  // Calls body(first row, number of elements) for rows that follow each other without gaps.
  template <class Body>
  void for_runs(const Body& body) const {
    if (stride_ == n_) return body(0, n_ * n_);
    for (int64_t i = 0; i < n_; ++i) body(i, n_);
  }
  T* row(int64_t i) const { return data() + i * stride_ * lanes_; }

  int64_t lanes_;
  int64_t n_;
  int64_t stride_;
  size_t bytes_;
  Scratch memory_;
  TransposeFn transpose_;
};

template <class T>
const CholeskyLoopsOf<T>& factor_loops_of() {
  if constexpr (sizeof(T) == 4) {
    return factor_loops().float32;
  } else {
    return factor_loops().float64;
  }
}

// Calls body(first matrix, number of matrices) in parallel, with a matrix for each lane.
template <class Body>
void for_lanes(int64_t matrices, int64_t n, int64_t lanes, const Body& body) {
  const int64_t groups = (matrices + lanes - 1) / lanes;
  parallel_for(groups, 1 + 65'536 / (n * n * n), [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      body(g * lanes, std::min(lanes, matrices - g * lanes));
    }
  });
}

// The result for a matrix without a factor.
template <class T>
void fill_nan(T* matrix, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    std::fill_n(matrix + i * n, i + 1, std::numeric_limits<T>::quiet_NaN());
    std::fill(matrix + i * n + i + 1, matrix + (i + 1) * n, T(0));
  }
}

template <class T>
void factor_large(const Tensor& x, const Tensor& out) {
  const int64_t n = x.shape().back();
  std::copy_n(x.data<T>(), x.size(), out.mutable_data<T>());
  const auto factor = [&](int64_t begin, int64_t end) {
    for (int64_t m = begin; m < end; ++m) {
      T* const matrix = out.mutable_data<T>() + m * n * n;
      if (!factor_cholesky(matrix, n)) fill_nan(matrix, n);
    }
  };
  const int64_t matrices = x.size() / (n * n);
  matrices == 1 ? factor(0, 1) : parallel_for(matrices, 1, factor);
}

template <class T>
void factor_all(const Tensor& x, const Tensor& out) {
  if (x.size() == 0) return;
  const CholeskyLoopsOf<T>& factor_loops = factor_loops_of<T>();
  const int64_t n = x.shape().back();
  const int64_t size = n * n;
  if (n > most_rows(x.size() / size, factor_loops.lanes)) return factor_large<T>(x, out);
  for_lanes(x.size() / size, n, factor_loops.lanes, [&](int64_t first, int64_t count) {
    const Lanes<T> lanes(factor_loops.lanes, n);
    bool good[16];
    T* const target = out.mutable_data<T>() + first * size;
    lanes.fill(x.data<T>() + first * size, count);
    factor_loops.factor(lanes.data(), n, good);
    lanes.empty(target, count);
    for (int64_t m = 0; m < count; ++m) {
      if (!good[m]) fill_nan(target + m * size, n);
    }
  });
}

// The largest matrices whose gradients are computed in lanes: the more there are, the larger.
int64_t most_gradient_rows(int64_t matrices) {
  if (matrices >= 8) return 128;
  return matrices >= 4 ? 64 : 32;
}

// The gradient of one matrix: with M = the lower part of Lᵀ dy, half of its diagonal, the symmetric
// part of L⁻ᵀ M L⁻¹.
template <class T>
void gradient_of_large(const T* factor, const T* dy, T* out, int64_t n) {
  const Scratch memory(static_cast<size_t>(n * n) * sizeof(T));
  T* const turned = memory.as<T>();
  const auto divide = [&](T* x) {
    for_columns(n, n * n, [&](int64_t c, int64_t count) {
      substitute(factor, n, n, Triangle{.transposed = true}, x + c, n, count);
    });
  };
  const Product product{.m = n, .n = n, .k = n, .transpose_a = true, .lda = n, .ldb = n, .ldc = n};
  gemm(product, factor, dy, out);
  for (int64_t i = 0; i < n; ++i) {
    out[i * (n + 1)] /= 2;
    std::fill(out + i * n + i + 1, out + (i + 1) * n, T(0));
  }
  divide(out);
  const TransposeFn transpose = sizeof(T) == 4 ? transposes().bytes4 : transposes().bytes8;
  transpose(turned, out, n, n, n, n);
  divide(turned);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      out[i * n + j] = out[j * n + i] = (turned[i * n + j] + turned[j * n + i]) / 2;
    }
  }
}

template <class T>
void gradient_all(const Tensor& factors, const Tensor& dy, const Tensor& out) {
  if (out.size() == 0) return;
  const CholeskyLoopsOf<T>& factor_loops = factor_loops_of<T>();
  const int64_t n = dy.shape().back();
  const int64_t size = n * n;
  const int64_t matrices = dy.size() / size;
  if (n > most_gradient_rows(matrices)) {
    return for_matrices(matrices, 2 * n * size, [&](int64_t i) {
      gradient_of_large(factors.data<T>() + i * size, dy.data<T>() + i * size,
                        out.mutable_data<T>() + i * size, n);
    });
  }
  for_lanes(matrices, n, factor_loops.lanes, [&](int64_t first, int64_t count) {
    const Lanes<T> lower(factor_loops.lanes, n);
    const Lanes<T> gradients(factor_loops.lanes, n);
    lower.fill(factors.data<T>() + first * size, count);
    gradients.fill(dy.data<T>() + first * size, count);
    factor_loops.gradient(lower.data(), gradients.data(), n);
    gradients.empty(out.mutable_data<T>() + first * size, count);
  });
}

}  // namespace

void cholesky_factor(KernelContext& context) {
  const Tensor& x = context.input(0);
  if (x.dtype() == DType::kFloat32) {
    factor_all<float>(x, context.output(0));
  } else {
    factor_all<double>(x, context.output(0));
  }
}

void cholesky_factor_grad(KernelContext& context) {
  const Tensor& factors = context.input(0);
  if (factors.dtype() == DType::kFloat32) {
    gradient_all<float>(factors, context.input(1), context.output(0));
  } else {
    gradient_all<double>(factors, context.input(1), context.output(0));
  }
}

}  // namespace ef::cpu
