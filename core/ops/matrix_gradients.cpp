#include "ops/matrix_gradients.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ops/array.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/linear_systems.h"
#include "ops/matmul.h"
#include "ops/reduction.h"
#include "ops/slicing.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

Tensor product(const Tensor& a, const Tensor& b) { return call(matmul, {a, b}, MatmulAttrs{}); }
// aᴴ b and a bᴴ.
Tensor adjoint_times(const Tensor& a, const Tensor& b) {
  return call(matmul, {a, b}, MatmulAttrs{.adjoint_a = true});
}
Tensor times_adjoint(const Tensor& a, const Tensor& b) {
  return call(matmul, {a, b}, MatmulAttrs{.adjoint_b = true});
}

Tensor band(const Tensor& x, int64_t lower, int64_t upper) {
  return call(matrix_band_part, {x}, MatrixBandPartAttrs{.num_lower = lower, .num_upper = upper});
}
Tensor lower_part(const Tensor& x) { return band(x, -1, 0); }
Tensor upper_part(const Tensor& x) { return band(x, 0, -1); }
Tensor diagonal_part(const Tensor& x) { return band(x, 0, 0); }

// Of matrices of a known rank.
Tensor adjoint_of(const Tensor& x) {
  Ints perm;
  for (int axis = 0; axis < x.rank(); ++axis) perm.push_back(axis);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return call(transpose, {x}, TransposeAttrs{.perm = perm, .conjugate = is_complex(x.dtype())});
}

Tensor with_axis(const Tensor& x, int64_t axis) {
  return call(expand_dims, {x}, ExpandDimsAttrs{.axis = axis});
}
Tensor in_rows(const Tensor& vector) { return with_axis(vector, -2); }
Tensor in_columns(const Tensor& vector) { return with_axis(vector, -1); }
Tensor in_matrices(const Tensor& scalar) { return in_columns(in_columns(scalar)); }
Tensor trace(const Tensor& x) {
  return in_matrices(sum_over(call(diag_part, {x}, DiagPartAttrs{}), Ints{-1}, false));
}

// The indices from `begin` to before `end`, or to the end, of one of the last two axes, which is
// counted from the end.
Tensor part(const Tensor& x, int from_end, int64_t begin, std::optional<int64_t> end) {
  StridedSliceAttrs attrs{
      .begin = {0, begin}, .end = {0, end.value_or(0)}, .strides = {1, 1}, .ellipsis_mask = 1};
  if (!end) attrs.end_mask = 0b010;
  if (from_end == 2) {  // the last axis as it is
    for (Ints* const list : {&attrs.begin, &attrs.end}) list->push_back(0);
    attrs.strides.push_back(1);
    attrs.begin_mask |= 0b100;
    attrs.end_mask |= 0b100;
  }
  return call(strided_slice, {x}, attrs);
}
Tensor columns(const Tensor& x, int64_t begin, int64_t end) { return part(x, 1, begin, end); }

// Elements moved towards the begin of an axis, or towards its end, with a zero behind them.
Tensor moved(const Tensor& x, int from_end, bool to_begin) {
  if (x.shape().back(from_end - 1) == 0) return x;
  const Tensor kept = to_begin ? part(x, from_end, 1, {}) : part(x, from_end, 0, -1);
  Ints paddings;
  for (int i = 0; i < 2 * x.rank(); ++i) paddings.push_back(0);
  paddings[static_cast<size_t>(2 * (x.rank() - from_end) + to_begin)] = 1;
  return call(pad, {kept}, PadAttrs{.paddings = paddings});
}

Tensor joined_rows(const Tensor& a, const Tensor& b, const Tensor& c) {
  return call(concat, {a, b, c}, ConcatAttrs{.axis = -2});
}

// x times the inverse of the adjoint of an upper triangle.
Tensor over_adjoint(const Tensor& x, const Tensor& upper) {
  const TriangleSolveAttrs attrs{.lower = false};
  return adjoint_of(call(triangle_solve, {upper, adjoint_of(x)}, attrs));
}

// From the gradient of the solution x, which is that of the right-hand side times the inverse of
// the matrix's adjoint.
Tensor gradient_of_matrix(const Tensor& x, const Tensor& db, bool adjoint) {
  return -(adjoint ? times_adjoint(x, db) : times_adjoint(db, x));
}

}  // namespace

void triangle_solve_gradient(GradContext& g) {
  const auto [lower, adjoint] = g.attrs<TriangleSolveAttrs>();
  const Tensor db = call(triangle_solve, {g.input(0), g.take_dy()},
                         TriangleSolveAttrs{.lower = lower, .adjoint = !adjoint});
  if (g.wants(0)) {
    const Tensor whole = gradient_of_matrix(g.output(0), db, adjoint);
    g.set(0, sum_to_shape(lower ? lower_part(whole) : upper_part(whole), g.input_shape(0)));
  }
  if (g.wants(1)) g.set(1, sum_to_shape(db, g.input_shape(1)));
}

void lu_solve_gradient(GradContext& g) {
  const bool adjoint = g.attrs<LuAttrs>().adjoint;
  const Tensor db = call(lu_solve, {g.input(0), g.take_dy()}, LuAttrs{.adjoint = !adjoint});
  if (g.wants(0)) g.set(0, gradient_of_matrix(g.output(0), db, adjoint));
  if (g.wants(1)) g.set(1, db);
}

void lu_inverse_gradient(GradContext& g) {
  const Tensor& inverse = g.output(0);
  if (g.attrs<LuAttrs>().adjoint) {
    g.set(0, -product(inverse, adjoint_times(g.take_dy(), inverse)));
  } else {
    g.set(0, -adjoint_times(inverse, times_adjoint(g.take_dy(), inverse)));
  }
}

// With P A = L U: L⁻ᴴ (the lower part of Lᴴ dL + the upper part of dU Uᴴ) U⁻ᴴ, in A's order of
// rows.
void lu_factors_gradient(GradContext& g) {
  const Tensor dy = g.take_dy();
  const Tensor& factors = g.output(0);
  const Tensor upper = upper_part(factors);
  const Tensor strict = factors - upper;
  const Tensor identity =
      call(diag, {ef::ones_like(call(diag_part, {factors}, DiagPartAttrs{}))}, DiagAttrs{});
  const Tensor lower = strict + identity;
  const Tensor below = lower_part(adjoint_times(lower, dy));
  const Tensor above = upper_part(times_adjoint(dy, upper));
  const Tensor inner = (below - diagonal_part(below)) + above;
  const Tensor rows = call(triangle_solve, {lower, inner}, TriangleSolveAttrs{.adjoint = true});
  const int64_t batch = factors.rank() - 2;
  g.set(0, call(gather, {over_adjoint(rows, upper), call(argsort, {g.output(1)}, SortAttrs{})},
                GatherAttrs{.axis = batch, .batch_dims = batch}));
}

void lu_determinant_gradient(GradContext& g) {
  g.set(0, in_matrices(g.take_dy()) * call(cofactors, {g.input(0)}));
}

void lu_log_determinant_gradient(GradContext& g) {
  if (!g.has_dy(1)) return g.set(0, ef::zeros_like(g.input(0)));
  g.set(0, in_matrices(g.take_dy(1)) * call(lu_inverse, {g.input(0)}, LuAttrs{.adjoint = true}));
}

void cofactors_gradient(GradContext& g) {
  g.set(0, call(cofactors_grad, {g.input(0), g.take_dy()}));
}

namespace {

// Larger matrices have too many minors. Their third derivatives are those of regular matrices.
constexpr int64_t kMostMinors = 6;

// For each i, the rows of the identity matrix except row i: [n, n - 1, n].
Tensor all_but_one(DType dtype, int64_t n) {
  const Tensor result = Tensor::empty(DType::kFloat64, {n, n - 1, n});
  auto* const data = result.mutable_data<double>();
  std::fill_n(data, result.size(), 0.0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t row = 0; row + 1 < n; ++row) {
      data[(i * (n - 1) + row) * n + row + (row >= i)] = 1;
    }
  }
  return cast_to(result, dtype);
}

Tensor chessboard(DType dtype, int64_t n) {
  const Tensor result = Tensor::empty(DType::kFloat64, {n, n});
  for (int64_t k = 0; k < n * n; ++k) {
    result.mutable_data<double>()[k] = (k / n + k % n) % 2 == 0 ? 1 : -1;
  }
  return cast_to(result, dtype);
}

// A determinant is the sum of elements of a row times their cofactors: its third derivative in two
// directions consists of second derivatives of minors. For n×n matrices, n > 2.
Tensor third_derivative_by_minors(const Tensor& a, const Tensor& u, const Tensor& v) {
  const int64_t n = a.shape().back();
  const Tensor kept = all_but_one(a.dtype(), n);
  const Tensor rows = with_axis(kept, 1);  // [n, 1, n - 1, n]
  const auto minors = [&](const Tensor& x) {
    return times_adjoint(product(rows, with_axis(with_axis(x, -3), -3)), kept);
  };
  const Tensor inner = call(cofactors_grad, {minors(a), minors(v)});
  const Tensor weights = in_matrices(conjugate(u) * chessboard(a.dtype(), n));
  const Tensor spread = product(adjoint_times(rows, inner * weights), kept);
  return sum_over(spread, Ints{-4, -3}, false);
}

// The same of regular matrices.
Tensor third_derivative_by_inverse(const Tensor& a, const Tensor& u, const Tensor& v) {
  const Tensor inverse = call(lu_inverse, {a}, LuAttrs{});
  const Tensor value = in_matrices(call(lu_determinant, {a}));
  const Tensor by_u = product(inverse, u), by_v = product(inverse, v);
  const Tensor u_then_v = product(by_u, by_v);
  const Tensor of_u = trace(by_u), of_v = trace(by_v);
  const Tensor inner = (u_then_v + product(by_v, by_u)) - (of_v * by_u + of_u * by_v);
  const Tensor whole = product(inner, inverse) + (of_u * of_v - trace(u_then_v)) * inverse;
  return conjugate(value) * adjoint_of(whole);
}

Tensor third_derivative(const Tensor& a, const Tensor& u, const Tensor& v) {
  const int64_t n = a.shape().back();
  if (n <= 2) return ef::zeros_like(a);
  return n <= kMostMinors ? third_derivative_by_minors(a, u, v)
                          : third_derivative_by_inverse(a, u, v);
}

}  // namespace

void cofactors_grad_gradient(GradContext& g) {
  const Tensor dy = g.dy();
  const Tensor& a = g.input(0);
  if (g.wants(0)) g.set(0, third_derivative(a, g.input(1), dy));
  if (g.wants(1)) g.set(1, call(cofactors_grad, {a, dy}));
}

void cholesky_factor_gradient(GradContext& g) {
  g.set(0, call(cholesky_factor_grad, {g.output(0), g.take_dy()}));
}

// Of G = the Hermitian part of L⁻ᴴ Φ(Lᴴ D) L⁻¹, where Φ takes the lower part and halves the
// diagonal, in the Hermitian direction W: with S = L⁻¹ W L⁻ᴴ, the gradients are L Φ(S) with respect
// to D, and D Φ(S)ᴴ - 2 G W L⁻ᴴ with respect to L.
void cholesky_factor_grad_gradient(GradContext& g) {
  const Tensor& factor = g.input(0);
  const Tensor dy = g.dy();
  const Tensor weights = (dy + adjoint_of(dy)) * 0.5;
  const auto solved = [&](const Tensor& x) {
    return call(triangle_solve, {factor, x}, TriangleSolveAttrs{});
  };
  const Tensor right = adjoint_of(solved(weights));
  const Tensor both = solved(right);
  const Tensor halved = lower_part(both) - diagonal_part(both) * 0.5;
  if (g.wants(0)) {
    g.set(0, lower_part(times_adjoint(g.input(1), halved) - product(g.output(0), right) * 2));
  }
  if (g.wants(1)) g.set(1, product(factor, halved));
}

namespace {

// For at least as many rows as columns.
Tensor qr_gradient_of_columns(const Tensor& q, const Tensor& r, const Tensor& dq,
                              const Tensor& dr) {
  const Tensor in_q = adjoint_times(q, dq), in_r = times_adjoint(r, dr);
  const Tensor turn = (in_q - adjoint_of(in_q)) + (in_r - adjoint_of(in_r));
  Tensor lower = lower_part(turn);
  // The diagonal of R is real, which fixes the phases of Q's columns: half of the imaginary part.
  if (is_complex(q.dtype())) lower = lower - diagonal_part(turn) * 0.5;
  return product(q, dr + over_adjoint(lower, r)) + over_adjoint(dq - product(q, in_q), r);
}

}  // namespace

void qr_factors_gradient(GradContext& g) {
  const Shape& shape = g.input_shape(0);
  const int64_t m = shape.back(1), n = shape.back();
  if (g.attrs<QrAttrs>().full_matrices && m > n) {
    fail(Code::kUnimplemented,
         "The gradient of qr with full_matrices=True is not defined for matrices with more rows "
         "than columns, got shape ",
         shape);
  }
  const Tensor &q = g.output(0), &r = g.output(1);
  const Tensor dq = g.dy(0), dr = g.dy(1);
  if (m >= n) return g.set(0, qr_gradient_of_columns(q, r, dq, dr));
  // The other columns are Q times those of R.
  const Tensor rest_dr = columns(dr, m, n);
  const Tensor whole_dq = dq + times_adjoint(columns(g.input(0), m, n), rest_dr);
  const Tensor first = qr_gradient_of_columns(q, columns(r, 0, m), whole_dq, columns(dr, 0, m));
  g.set(0, call(concat, {first, product(q, rest_dr)}, ConcatAttrs{.axis = -1}));
}

void eigh_factors_gradient(GradContext& g) {
  Tensor inner = call(diag, {g.dy(0)}, DiagAttrs{});
  Tensor vectors;
  if (!g.attrs<EighAttrs>().compute_v) {
    TensorList factors;
    run(eigh_factors, {{g.input(0)}}, EighAttrs{}, factors);
    vectors = factors[1];
  } else {
    vectors = g.output(1);
    if (g.has_dy(1)) {
      // 1 / x, and nearly 0 where x is nearly 0: for equal eigenvalues.
      const Tensor gaps = in_rows(g.output(0)) - in_columns(g.output(0));
      const Tensor inverse = gaps / (gaps * gaps + 1e-20);
      inner = inner + (inverse - diagonal_part(inverse)) * adjoint_times(vectors, g.dy(1));
    }
  }
  const Tensor whole = times_adjoint(product(vectors, inner), vectors);
  const Tensor both = whole + adjoint_of(whole);
  // Only the lower triangle is read.
  g.set(0, lower_part(both) - diagonal_part(both) * 0.5);
}

void tridiagonal_solve_gradient(GradContext& g) {
  const Tensor& bands = g.input(0);
  const auto band_of = [&](int64_t k) { return part(bands, 2, k, k + 1); };
  const Tensor transposed =
      joined_rows(moved(band_of(2), 1, true), band_of(1), moved(band_of(0), 1, false));
  const Tensor db = call(tridiagonal_solve, {conjugate(transposed), g.take_dy()});
  if (g.wants(0)) {
    const Tensor& x = g.output(0);
    const auto row = [&](const Tensor& other) {
      return in_rows(sum_over(db * conjugate(other), Ints{-1}, false));
    };
    g.set(0, -joined_rows(row(moved(x, 2, true)), row(x), row(moved(x, 2, false))));
  }
  if (g.wants(1)) g.set(1, db);
}

}  // namespace ef::ops
