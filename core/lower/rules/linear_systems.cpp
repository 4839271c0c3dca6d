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

// The pivots, with the sign of the permutation: [batch, n] and [batch].
struct Pivots {
  Value diagonal;
  Value sign;
};

Pivots pivots(const Call& c) {
  refuse_empty(c);
  Builder& b = c.b;
  const Eliminated done = eliminated(b, as_batch(b, c.in[0]));
  const Shape& shape = done.matrix.shape;
  const Value on =
      b.compare("EQ", b.iota(DType::kInt32, shape, 1), b.iota(DType::kInt32, shape, 2));
  return {b.reduce(Reduction::kAdd, b.select(on, done.matrix, b.like(done.matrix, 0)), Dims{2}),
          done.sign};
}

Values lu_determinant(const Call& c) {
  const auto [diagonal, odd] = pivots(c);
  const Value product = c.b.reduce(Reduction::kMultiply, diagonal, Dims{1});
  return {c.b.reshape(c.b.mul(odd, product), c.out[0].shape)};
}

Values lu_log_determinant(const Call& c) {
  Builder& b = c.b;
  const auto [diagonal, odd] = pivots(c);
  const Value unit = b.unary("stablehlo.sign", diagonal);
  const Value sign = b.mul(odd, b.reduce(Reduction::kMultiply, unit, Dims{1}));
  const Value size = b.reduce(Reduction::kAdd, b.log(b.abs(diagonal)), Dims{1});
  return {b.reshape(sign, c.out[0].shape),
          b.reshape(b.convert(size, c.out[1].dtype), c.out[1].shape)};
}

// P A Q = L D V by elimination with the largest pivots, as kernels/cpu/cofactors.cpp does.
class Pivoted {
 public:
  Pivoted(Builder& b, const Value& input)
      : b_(b),
        shape_(input.shape),
        vector_{shape_[0], shape_[1]},
        i_(b.iota(DType::kInt64, shape_, 1)),
        j_(b.iota(DType::kInt64, shape_, 2)),
        on_diagonal_(b.compare("EQ", i_, j_)) {
    const Value order = b.iota(DType::kInt64, vector_, 1);
    const Value start[] = {b.full_int(DType::kInt64, {}, 0), input, order, order,
                           b.full(input.dtype, {shape_[0]}, 1)};
    std::vector<TensorSpec> specs;
    for (const Value& value : start) specs.push_back(value.spec());
    const std::string regions[] = {
        b.region(specs,
                 [&](const Values& v) {
                   return Values{b.compare("LT", v[0], b.full_int(DType::kInt64, {}, shape_[1]))};
                 }),
        b.region(specs, [&](const Values& v) { return step(v); })};
    const Values results = b.op("stablehlo.while", start, {}, specs, regions);
    const Value& packed = results[1];
    sign_ = results[4];
    pivots_ = sum(on_diagonal_, packed, 2);
    const Value unit = b.select(on_diagonal_, b.like(packed, 1), b.like(packed, 0));
    lower_ = b.select(b.compare("GT", i_, j_), packed, unit);
    const Value divisor = spread(regular(pivots_), 1);
    upper_ = b.select(b.compare("LT", i_, j_), b.div(packed, divisor), unit);
    // Row i has its 1 where row i of the permuted matrix was, and the same of columns.
    rows_ = one_hot(results[2], packed.dtype);
    columns_ = one_hot(results[3], packed.dtype);
  }

  Value cofactors() {
    const Value others =
        b_.reduce(Reduction::kMultiply,
                  b_.select(on_diagonal_, b_.like(lower_, 1), spread(pivots_, 2)), Dims{2});
    return finished(b_.select(on_diagonal_, spread(others, 1), b_.like(lower_, 0)));
  }

  Value gradient(const Value& dy) {
    const Value permuted =
        product(b_.dot(rows_, dy, Dims{0}, Dims{0}, Dims{2}, Dims{1}), columns_, 2);
    const Value inner = solved(solved(permuted, true, false), false, false);
    // The products without two pivots.
    Shape cube = shape_;
    cube.push_back(shape_[1]);
    const Value k = b_.iota(DType::kInt64, cube, 3);
    const auto is = [&](int64_t axis) {
      return b_.compare("EQ", k, b_.iota(DType::kInt64, cube, axis));
    };
    const Value each = b_.broadcast_in_dim(pivots_, cube, Dims{0, 3});
    const Value pairs =
        b_.reduce(Reduction::kMultiply,
                  b_.select(b_.logical_or(is(1), is(2)), b_.like(each, 1), each), Dims{3});
    const Value others = b_.select(on_diagonal_, b_.like(pairs, 0), pairs);
    const Value diagonal =
        b_.reduce(Reduction::kAdd, b_.mul(others, spread(sum(on_diagonal_, inner, 2), 2)), Dims{2});
    const Value across = b_.negate(b_.mul(others, b_.transpose(inner, Dims{0, 2, 1})));
    return finished(b_.select(on_diagonal_, spread(diagonal, 1), across));
  }

 private:
  // A vector along axis 1 or 2 of the matrices.
  Value spread(const Value& vector, int64_t axis) {
    return b_.broadcast_in_dim(vector, shape_, Dims{0, axis});
  }
  Value sum(const Value& mask, const Value& x, int64_t axis) {
    return b_.reduce(Reduction::kAdd, b_.select(mask, x, b_.like(x, 0)), Dims{axis});
  }
  // 1 instead of 0.
  Value regular(const Value& x) {
    return b_.select(b_.compare("EQ", x, b_.like(x, 0)), b_.like(x, 1), x);
  }
  Value one_hot(const Value& order, DType dtype) {
    return b_.convert(b_.compare("EQ", spread(order, 1), j_), dtype);
  }
  // x yᵀ for axis 2, x y for axis 1.
  Value product(const Value& x, const Value& y, int64_t axis) {
    return b_.dot(x, y, Dims{0}, Dims{0}, Dims{2}, Dims{axis});
  }
  // Exchanges the elements at two indices along an axis.
  Value exchanged(const Value& x, int64_t axis, const Value& first, const Value& second) {
    Dims kept{0};
    for (int64_t other = 1; other < x.rank(); ++other) {
      if (other != axis) kept.push_back(other);
    }
    const auto whole = [&](const Value& part) { return b_.broadcast_in_dim(part, x.shape, kept); };
    return b_.select(first, whole(sum(second, x, axis)),
                     b_.select(second, whole(sum(first, x, axis)), x));
  }

  Values step(const Values& v) {
    const Value &k = v[0], &m = v[1];
    const Value at = b_.broadcast_in_dim(k, shape_, {});
    const Value rest = b_.logical_and(b_.compare("GE", i_, at), b_.compare("GE", j_, at));
    const Value absolute = b_.abs(m);
    const Value size = b_.select(rest, absolute, b_.like(absolute, -1));
    const Value most =
        b_.broadcast_in_dim(b_.reduce(Reduction::kMaximum, size, Dims{1, 2}), shape_, Dims{0});
    const Value n = b_.full_int(DType::kInt64, shape_, shape_[1]);
    const Value index = b_.add(b_.mul(i_, n), j_);
    const Value place =
        b_.reduce(Reduction::kMinimum, b_.select(b_.compare("EQ", size, most), index, b_.mul(n, n)),
                  Dims{1, 2});
    const Value one_n = b_.full_int(DType::kInt64, place.shape, shape_[1]);
    const Value row = b_.div(place, one_n), column = b_.binary("stablehlo.remainder", place, one_n);
    const Value index_of_vector = b_.iota(DType::kInt64, vector_, 1);
    const Value vector_k = b_.compare("EQ", index_of_vector, b_.broadcast_in_dim(k, vector_, {}));
    const auto whole = [&](const Value& part) {
      return b_.broadcast_in_dim(part, shape_, Dims{0});
    };
    const auto in_vector = [&](const Value& part) {
      return b_.compare("EQ", index_of_vector, b_.broadcast_in_dim(part, vector_, Dims{0}));
    };
    const Value i_is_k = b_.compare("EQ", i_, at), j_is_k = b_.compare("EQ", j_, at);
    Value turned = exchanged(m, 1, i_is_k, b_.compare("EQ", i_, whole(row)));
    turned = exchanged(turned, 2, j_is_k, b_.compare("EQ", j_, whole(column)));
    const Value at_one = b_.broadcast_in_dim(k, place.shape, {});
    const Value is_odd =
        b_.binary("stablehlo.xor", b_.compare("NE", row, at_one), b_.compare("NE", column, at_one));
    const Value sign = b_.select(is_odd, b_.negate(v[4]), v[4]);
    // Subtract multiples of row k from the rows below.
    const Value pivot_row = sum(i_is_k, turned, 1);
    const Value pivot = regular(sum(vector_k, pivot_row, 1));
    const Value factors =
        spread(b_.div(sum(j_is_k, turned, 2), b_.broadcast_in_dim(pivot, vector_, Dims{0})), 1);
    const Value below = b_.compare("GT", i_, at), right = b_.compare("GT", j_, at);
    const Value less = b_.sub(turned, b_.mul(factors, spread(pivot_row, 2)));
    const Value packed = b_.select(b_.logical_and(below, right), less,
                                   b_.select(b_.logical_and(below, j_is_k), factors, turned));
    return {b_.add(k, b_.full_int(DType::kInt64, {}, 1)), packed,
            exchanged(v[2], 1, vector_k, in_vector(row)),
            exchanged(v[3], 1, vector_k, in_vector(column)), sign};
  }

  // L⁻¹ x, or x V⁻¹; or the same with the transposed factor.
  Value solved(const Value& x, bool left, bool transposed) {
    return b_.one("stablehlo.triangular_solve", {left ? lower_ : upper_, x}, x.spec(),
                  cat("left_side = ", left ? "true, lower = true" : "false, lower = false",
                      ", unit_diagonal = true, transpose_a = #stablehlo<transpose ",
                      transposed ? "TRANSPOSE" : "NO_TRANSPOSE", ">"));
  }
  // The conjugate of sign * Pᵀ L⁻ᵀ x V⁻ᵀ Qᵀ.
  Value finished(const Value& x) {
    const Value inner = solved(solved(x, true, true), false, true);
    const Value in_rows = b_.dot(rows_, inner, Dims{0}, Dims{0}, Dims{1}, Dims{1});
    const Value whole = product(in_rows, columns_, 1);
    return b_.conj(b_.mul(whole, b_.broadcast_in_dim(sign_, shape_, Dims{0})));
  }

  Builder& b_;
  const Shape shape_, vector_;
  const Value i_, j_, on_diagonal_;
  Value pivots_, sign_, lower_, upper_, rows_, columns_;
};

Values cofactors(const Call& c) {
  refuse_empty(c);
  return {c.b.reshape(Pivoted(c.b, as_batch(c.b, c.in[0])).cofactors(), c.out[0].shape)};
}

Values cofactors_grad(const Call& c) {
  refuse_empty(c);
  Pivoted factors(c.b, as_batch(c.b, c.in[0]));
  return {c.b.reshape(factors.gradient(as_batch(c.b, c.in[1])), c.out[0].shape)};
}

// L^-H Φ(L^H dL) L^-1, made Hermitian; Φ is the lower triangle with half of the diagonal.
Values cholesky_factor_grad(const Call& c) {
  refuse_empty(c);
  Builder& b = c.b;
  const Value factor = as_batch(b, c.in[0]), dy = as_batch(b, c.in[1]);
  const Shape& shape = factor.shape;
  const Value rows = b.iota(DType::kInt32, shape, 1), columns = b.iota(DType::kInt32, shape, 2);
  const auto lower = [&](const Value& x) {
    return b.select(b.compare("GE", rows, columns), x, b.like(x, 0));
  };
  const Value product = lower(b.dot(b.conj(factor), lower(dy), Dims{0}, Dims{0}, Dims{1}, Dims{1}));
  const Value halved =
      b.select(b.compare("EQ", rows, columns), b.mul(product, b.like(product, 0.5)), product);
  const char* const flip = is_complex(factor.dtype) ? "ADJOINT" : "TRANSPOSE";
  const auto divided = [&](const Value& x, bool left) {
    return b.one("stablehlo.triangular_solve", {factor, x}, x.spec(),
                 cat("left_side = ", left ? "true" : "false",
                     ", lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ",
                     left ? flip : "NO_TRANSPOSE", ">"));
  };
  const Value inner = divided(divided(halved, true), false);
  const Value sum = b.add(inner, adjoint_of(b, inner));
  return {b.reshape(b.mul(sum, b.like(sum, 0.5)), c.out[0].shape)};
}

constexpr std::pair<const char*, Rule> kLinearSystemRules[] = {
    {"lu_solve", lu_solve},
    {"lu_inverse", lu_inverse},
    {"lu_factors", lu_factors},
    {"lu_determinant", lu_determinant},
    {"lu_log_determinant", lu_log_determinant},
    {"cofactors", cofactors},
    {"cofactors_grad", cofactors_grad},
    {"cholesky_factor_grad", cholesky_factor_grad},
};

}  // namespace

RuleList linear_system_rules() { return kLinearSystemRules; }

}  // namespace ef::lower
