// Matrix products, triangular systems and Cholesky factors.
#include "lower/rule.h"
#include "ops/linear_systems.h"
#include "ops/matmul.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

Values matmul(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::MatmulAttrs>();
  const Shape& shape = c.out[0].shape;
  const int rank = shape.rank();
  const auto widened = [&](const Value& x) {
    const bool narrow = is_integer(x.dtype) && x.dtype != c.out[0].dtype;
    return narrow ? b.convert(x, c.out[0].dtype) : x;
  };
  const Value first = attrs.adjoint_a ? b.conj(c.in[0]) : c.in[0];
  const Value second = attrs.adjoint_b ? b.conj(c.in[1]) : c.in[1];
  const auto with_batch = [&](const Value& x) {
    Shape wide;
    for (int axis = 0; axis < rank - 2; ++axis) wide.push_back(shape[axis]);
    wide.push_back(x.shape.back(1));
    wide.push_back(x.shape.back());
    return b.broadcast(widened(x), wide);
  };
  if (first.rank() == rank && second.rank() == 2) {
    // The batch shares one matrix: all its rows are multiplied at once.
    const Value product =
        b.dot(widened(first), widened(second), {}, {}, Dims{attrs.swaps_a() ? rank - 2 : rank - 1},
              Dims{attrs.swaps_b() ? 1 : 0});
    return {b.convert(product, c.out[0].dtype)};
  }
  const Value x = with_batch(first), y = with_batch(second);
  const Dims batch = axes_from(0, rank - 2);
  const Value product = b.dot(x, y, batch, batch, Dims{attrs.swaps_a() ? rank - 2 : rank - 1},
                              Dims{attrs.swaps_b() ? rank - 1 : rank - 2});
  return {b.convert(product, c.out[0].dtype)};
}

Values triangle_solve(const Call& c) {
  const auto& attrs = c.attrs<ops::TriangleSolveAttrs>();
  const Value &matrix = c.in[0], &rhs = c.in[1];
  Shape wide = c.out[0].shape;
  Shape square = wide;
  square[wide.rank() - 1] = matrix.shape.back();
  const char* const flip = !attrs.adjoint             ? "NO_TRANSPOSE"
                           : is_complex(matrix.dtype) ? "ADJOINT"
                                                      : "TRANSPOSE";
  return {c.b.one("stablehlo.triangular_solve",
                  {c.b.broadcast(matrix, square), c.b.broadcast(rhs, wide)}, c.out[0],
                  cat("left_side = true, lower = ", attrs.lower ? "true" : "false",
                      ", unit_diagonal = false, transpose_a = #stablehlo<transpose ", flip, ">"))};
}

Values cholesky_factor(const Call& c) {
  const Value factor = c.b.one("stablehlo.cholesky", {c.in[0]}, c.out[0], "lower = true");
  // The factor is zero above the diagonal.
  const Value rows = c.b.iota(DType::kInt64, factor.shape, factor.rank() - 2);
  const Value columns = c.b.iota(DType::kInt64, factor.shape, factor.rank() - 1);
  return {c.b.select(c.b.compare("GE", rows, columns), factor, c.b.like(factor, 0))};
}

constexpr std::pair<const char*, Rule> kMatrixRules[] = {
    {"matmul", matmul},
    {"triangle_solve", triangle_solve},
    {"cholesky_factor", cholesky_factor},
};

}  // namespace

RuleList matrix_rules() { return kMatrixRules; }

}  // namespace ef::lower
