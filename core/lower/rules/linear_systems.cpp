// Linear systems, inverses and determinants, by Gaussian elimination with partial pivoting.
#include "ops/linear_systems.h"

#include "lower/rule.h"
#include "ops/op_facts.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// [b, i, j] for a vector [b, i] or [b, j].
Value as_rows(Builder& b, const Value& x, const Shape& shape) {
  return b.broadcast_in_dim(x, shape, Dims{0, 1});
}
Value as_columns(Builder& b, const Value& x, const Shape& shape) {
  return b.broadcast_in_dim(x, shape, Dims{0, 2});
}

struct Eliminated {
  Value matrix;  // factors as LAPACK packs them, then the other columns
  Value order;   // of the rows, int32
  Value sign;    // of the permutation
};

// Eliminates the first n columns of [batch, n, n + m].
Eliminated eliminated(Builder& b, const Value& input) {
  const int64_t batch = input.shape[0], n = input.shape[1];
  const Shape whole = input.shape, column{batch, n}, row{batch, whole[2]}, one{batch};
  const DType real = b.abs(b.full(input.dtype, {}, 0)).dtype;
  const Value start[] = {b.full_int(DType::kInt64, {}, 0), input, b.iota(DType::kInt32, column, 1),
                         b.full(input.dtype, one, 1)};
  std::vector<TensorSpec> specs;
  for (const Value& value : start) specs.push_back(value.spec());
  const auto condition = [&](const Values& v) {
    return Values{b.compare("LT", v[0], b.full_int(DType::kInt64, {}, n))};
  };
  const auto body = [&](const Values& v) {
    const Value &k = v[0], &m = v[1];
    const Value zero = b.full_int(DType::kInt64, {}, 0);
    const auto column_at = [&](const Value& x) {
      return b.reshape(b.dynamic_slice(x, Values{zero, zero, k}, Dims{batch, n, 1}), column);
    };
    // The largest element of column k from row k on, and its row.
    const Value i = b.iota(DType::kInt64, column, 1);
    const Value at = b.broadcast_in_dim(k, column, {});
    const Value size =
        b.select(b.compare("GE", i, at), b.abs(column_at(m)), b.full(real, column, -1));
    const Value most =
        b.broadcast_in_dim(b.reduce(Reduction::kMaximum, size, Dims{1}), column, Dims{0});
    const Value is_most = b.compare("EQ", size, most);
    const Value place = b.reduce(
        Reduction::kMinimum, b.select(is_most, i, b.full_int(DType::kInt64, column, n)), Dims{1});
    const Value p = b.broadcast_in_dim(place, column, Dims{0});
    const Value is_k = b.compare("EQ", i, at), is_p = b.compare("EQ", i, p);
    // Swap it with row k.
    const auto swapped = [&](const Value& x, const Value& nothing, const Value& mask_k,
                             const Value& mask_p, const auto& spread) {
      const Value of_k = b.reduce(Reduction::kAdd, b.select(mask_k, x, nothing), Dims{1});
      const Value of_p = b.reduce(Reduction::kAdd, b.select(mask_p, x, nothing), Dims{1});
      const Value without_k = b.select(mask_p, spread(of_k), x);
      return std::pair{of_p, b.select(mask_k, spread(of_p), without_k)};
    };
    const auto over_rows = [&](const Value& x) { return as_columns(b, x, whole); };
    const auto over_column = [&](const Value& x) { return b.broadcast_in_dim(x, column, Dims{0}); };
    const auto [pivot_row, turned] =
        swapped(m, b.like(m, 0), as_rows(b, is_k, whole), as_rows(b, is_p, whole), over_rows);
    const Value order = swapped(v[2], b.like(v[2], 0), is_k, is_p, over_column).second;
    const Value same = b.compare("EQ", place, b.broadcast_in_dim(k, one, {}));
    const Value sign = b.select(same, v[3], b.negate(v[3]));
    // Subtract multiples of it from the rows below.
    const Value pivot = b.reshape(b.dynamic_slice(pivot_row, Values{zero, k}, Dims{batch, 1}), one);
    const Value below = b.compare("GT", i, at);
    const Value factors =
        b.select(below, b.div(column_at(turned), over_column(pivot)), b.full(m.dtype, column, 0));
    const Value j = b.iota(DType::kInt64, row, 1);
    const Value right = b.compare("GT", j, b.broadcast_in_dim(k, row, {}));
    const Value rest = b.select(right, pivot_row, b.full(m.dtype, row, 0));
    const Value less = b.sub(turned, b.mul(as_rows(b, factors, whole), as_columns(b, rest, whole)));
    const Value at_column = b.compare("EQ", j, b.broadcast_in_dim(k, row, {}));
    const Value packs = b.logical_and(as_rows(b, below, whole), as_columns(b, at_column, whole));
    const Value packed = b.select(packs, as_rows(b, factors, whole), less);
    return Values{b.add(k, b.full_int(DType::kInt64, {}, 1)), packed, order, sign};
  };
  const std::string regions[] = {b.region(specs, condition), b.region(specs, body)};
  const Values results = b.op("stablehlo.while", start, {}, specs, regions);
  return {results[1], results[2], results[3]};
}

// As [batch, rows, columns].
Value as_batch(Builder& b, const Value& x) {
  const int64_t rows = x.shape.back(1), columns = x.shape.back();
  int64_t batch = 1;
  for (int axis = 0; axis < x.rank() - 2; ++axis) batch *= x.shape[axis];
  return b.reshape(x, {batch, rows, columns});
}

Value adjoint_of(Builder& b, const Value& x) { return b.conj(b.transpose(x, Dims{0, 2, 1})); }

void refuse_empty(const Call& c) {
  if (c.in[0].shape.num_elements() == 0) refuse("linear systems without elements");
}

// Raises the error of the kernels if a pivot is zero.
void refuse_singular(const Call& c, const Value& factors, const char* message) {
  Builder& b = c.b;
  const Shape& shape = factors.shape;
  const Value on =
      b.compare("EQ", b.iota(DType::kInt32, shape, 1), b.iota(DType::kInt32, shape, 2));
  const Value is_zero = b.logical_and(on, b.compare("EQ", factors, b.like(factors, 0)));
  b.refuse_if(b.reduce(Reduction::kOr, is_zero, axes_from(0, shape.rank())),
              cat(message, " [Op:", tf_name(c.op), "]"));
}

Value solution(const Call& c, Value matrix, const Value& rhs, bool adjoint, const char* singular) {
  Builder& b = c.b;
  if (adjoint) matrix = adjoint_of(b, matrix);
  const int64_t n = matrix.shape[1];
  const Value both[] = {matrix, rhs};
  const Value done = eliminated(b, b.concat(both, 2)).matrix;
  const Dims none(3, 0), ones(3, 1);
  const Value upper = b.slice(done, none, Dims{done.shape[0], n, n}, ones);
  const Value right =
      b.slice(done, Dims{0, 0, n}, Dims(done.shape.begin(), done.shape.end()), ones);
  refuse_singular(c, upper, singular);
  return b.one("stablehlo.triangular_solve", {upper, right}, right.spec(),
               "left_side = true, lower = false, unit_diagonal = false, "
               "transpose_a = #stablehlo<transpose NO_TRANSPOSE>");
}

Values lu_solve(const Call& c) {
  refuse_empty(c);
  if (c.in[1].shape.num_elements() == 0) return {c.b.full(c.out[0].dtype, c.out[0].shape, 0)};
  const Value x = solution(c, as_batch(c.b, c.in[0]), as_batch(c.b, c.in[1]),
                           c.attrs<ops::LuAttrs>().adjoint, "Input matrix is not invertible.");
  return {c.b.reshape(x, c.out[0].shape)};
}

Values lu_inverse(const Call& c) {
  refuse_empty(c);
  Builder& b = c.b;
  const Value matrix = as_batch(b, c.in[0]);
  const Value rows = b.iota(DType::kInt32, matrix.shape, 1);
  const Value one = b.compare("EQ", rows, b.iota(DType::kInt32, matrix.shape, 2));
  const Value identity = b.select(one, b.like(matrix, 1), b.like(matrix, 0));
  const Value x =
      solution(c, matrix, identity, c.attrs<ops::LuAttrs>().adjoint, "Input is not invertible.");
  return {b.reshape(x, c.out[0].shape)};
}

Values lu_factors(const Call& c) {
  refuse_empty(c);
  const Eliminated done = eliminated(c.b, as_batch(c.b, c.in[0]));
  refuse_singular(c, done.matrix, "Input is not invertible.");
  return {c.b.reshape(done.matrix, c.out[0].shape), c.b.reshape(done.order, c.out[1].shape)};
}

Values lu_determinant(const Call& c) {
  refuse_empty(c);
  Builder& b = c.b;
  const Eliminated done = eliminated(b, as_batch(b, c.in[0]));
  const Shape& shape = done.matrix.shape;
  const Value on =
      b.compare("EQ", b.iota(DType::kInt32, shape, 1), b.iota(DType::kInt32, shape, 2));
  const Value diagonal =
      b.reduce(Reduction::kAdd, b.select(on, done.matrix, b.like(done.matrix, 0)), Dims{2});
  const Value product = b.mul(done.sign, b.reduce(Reduction::kMultiply, diagonal, Dims{1}));
  const Value unit = b.unary("stablehlo.sign", diagonal);
  const Value sign = b.mul(done.sign, b.reduce(Reduction::kMultiply, unit, Dims{1}));
  const Value size = b.reduce(Reduction::kAdd, b.log(b.abs(diagonal)), Dims{1});
  return {b.reshape(product, c.out[0].shape), b.reshape(sign, c.out[1].shape),
          b.reshape(b.convert(size, c.out[2].dtype), c.out[2].shape)};
}

// L^-T Φ(L^T dL) L^-1, made symmetric; Φ is the lower triangle with half of the diagonal.
Values cholesky_factor_grad(const Call& c) {
  refuse_empty(c);
  Builder& b = c.b;
  const Value factor = as_batch(b, c.in[0]), dy = as_batch(b, c.in[1]);
  const Shape& shape = factor.shape;
  const Value rows = b.iota(DType::kInt32, shape, 1), columns = b.iota(DType::kInt32, shape, 2);
  const auto lower = [&](const Value& x) {
    return b.select(b.compare("GE", rows, columns), x, b.like(x, 0));
  };
  const Value product = lower(b.dot(factor, lower(dy), Dims{0}, Dims{0}, Dims{1}, Dims{1}));
  const Value halved =
      b.select(b.compare("EQ", rows, columns), b.mul(product, b.like(product, 0.5)), product);
  const auto divided = [&](const Value& x, bool left) {
    return b.one("stablehlo.triangular_solve", {factor, x}, x.spec(),
                 cat("left_side = ", left ? "true" : "false",
                     ", lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ",
                     left ? "TRANSPOSE" : "NO_TRANSPOSE", ">"));
  };
  const Value inner = divided(divided(halved, true), false);
  const Value sum = b.add(inner, b.transpose(inner, Dims{0, 2, 1}));
  return {b.reshape(b.mul(sum, b.like(sum, 0.5)), c.out[0].shape)};
}

constexpr std::pair<const char*, Rule> kLinearSystemRules[] = {
    {"lu_solve", lu_solve},
    {"lu_inverse", lu_inverse},
    {"lu_factors", lu_factors},
    {"lu_determinant", lu_determinant},
    {"cholesky_factor_grad", cholesky_factor_grad},
};

}  // namespace

RuleList linear_system_rules() { return kLinearSystemRules; }

}  // namespace ef::lower
