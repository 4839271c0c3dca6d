// Elementwise arithmetic, comparisons, activations, casts and their gradients.
#include <numbers>

#include "lower/rule.h"
#include "ops/elementwise.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

bool integral(const Value& x) { return is_integer(x.dtype); }

Values add_n(const Call& c) {
  Value sum = c.in[0];
  for (const Value& more : c.in.subspan(1)) sum = c.b.add(sum, more);
  return {sum};
}

Value zero_where(Builder& b, const Value& condition, const Value& x) {
  return b.select(condition, b.like(x, 0), x);
}
Value is_zero(Builder& b, const Value& x) { return b.compare("EQ", x, b.like(x, 0)); }
Value is_negative(Builder& b, const Value& x) { return b.compare("LT", x, b.like(x, 0)); }

Values divide_no_nan(const Call& c) {
  const Value y = c.broadcast(1);
  return {zero_where(c.b, is_zero(c.b, y), c.b.div(c.broadcast(0), y))};
}
Values multiply_no_nan(const Call& c) {
  const Value y = c.broadcast(1);
  return {zero_where(c.b, is_zero(c.b, y), c.b.mul(c.broadcast(0), y))};
}
// Like the kernel: the larger side times a root where squares overflow or vanish.
Values hypot(const Call& c) {
  Builder& b = c.b;
  const bool is_double = c.in[0].dtype == DType::kFloat64;
  const DType dtype = is_double ? DType::kFloat64 : DType::kFloat32;
  const Value x = b.abs(b.convert(c.broadcast(0), dtype)),
              y = b.abs(b.convert(c.broadcast(1), dtype));
  const Value total = b.add(b.mul(x, x), b.mul(y, y));
  const Value large = b.max(x, y), small = b.min(x, y);
  const Value ratio = zero_where(b, is_zero(b, large), b.div(small, large));
  const Value scaled = b.mul(large, b.sqrt(b.add(b.mul(ratio, ratio), b.like(ratio, 1))));
  const Value infinity = b.highest(dtype, total.shape);
  const Value plain =
      b.logical_and(b.compare("GE", total, b.like(total, is_double ? 0x1p-970 : 0x1p-103)),
                    b.compare("LT", total, infinity));
  const Value is_infinite =
      b.logical_or(b.compare("EQ", x, infinity), b.compare("EQ", y, infinity));
  const Value length = b.select(is_infinite, infinity, b.select(plain, b.sqrt(total), scaled));
  return {b.convert(length, c.out[0].dtype)};
}
// x * f(y), and zero where x is zero.
template <Value (*kFunction)(Builder&, const Value&, const Value&)>
Values times_function(const Call& c) {
  const Value x = c.broadcast(0);
  return {zero_where(c.b, is_zero(c.b, x), kFunction(c.b, x, c.broadcast(1)))};
}
Value x_over_y(Builder& b, const Value& x, const Value& y) { return b.div(x, y); }
Value x_log_y(Builder& b, const Value& x, const Value& y) { return b.mul(x, b.log(y)); }
Value x_log1p_y(Builder& b, const Value& x, const Value& y) {
  return b.mul(x, b.unary("stablehlo.log_plus_one", y));
}

Values truncatediv(const Call& c) {
  const Value quotient = c.b.div(c.broadcast(0), c.broadcast(1));
  if (integral(quotient)) return {quotient};
  const Value down = c.b.unary("stablehlo.floor", c.b.abs(quotient));
  return {c.b.mul(down, c.b.unary("stablehlo.sign", quotient))};
}

// Whether the remainder and the divisor have different signs.
Value off_sign(Builder& b, const Value& remainder, const Value& divisor) {
  const Value differs = b.compare("NE", is_negative(b, remainder), is_negative(b, divisor));
  return b.logical_and(b.logical_not(is_zero(b, remainder)), differs);
}

Values floordiv(const Call& c) {
  const Value x = c.broadcast(0), y = c.broadcast(1);
  if (!integral(x)) return {c.b.unary("stablehlo.floor", c.b.div(x, y))};
  const Value quotient = c.b.div(x, y);
  if (kUnsignedIntTypes.contains(x.dtype)) return {quotient};
  const Value remainder = c.b.binary("stablehlo.remainder", x, y);
  return {
      c.b.select(off_sign(c.b, remainder, y), c.b.sub(quotient, c.b.like(quotient, 1)), quotient)};
}

Values floormod(const Call& c) {
  const Value x = c.broadcast(0), y = c.broadcast(1);
  const Value remainder = c.b.binary("stablehlo.remainder", x, y);
  if (kUnsignedIntTypes.contains(x.dtype)) return {remainder};
  return {c.b.select(off_sign(c.b, remainder, y), c.b.add(remainder, y), remainder)};
}

Values power(const Call& c) {
  return {c.b.binary("stablehlo.power", c.broadcast(0), c.broadcast(1))};
}

Values squared_difference(const Call& c) {
  const Value difference = c.b.sub(c.broadcast(0), c.broadcast(1));
  if (is_complex(difference.dtype)) refuse("squared differences of complex numbers");
  return {c.b.mul(difference, difference)};
}

Values abs(const Call& c) { return {c.b.abs(c.in[0])}; }

Values sign(const Call& c) {
  const Value& x = c.in[0];
  if (kUnsignedIntTypes.contains(x.dtype)) return {c.b.min(x, c.b.like(x, 1))};
  return {c.b.unary("stablehlo.sign", x)};
}

Values square(const Call& c) { return {c.b.mul(c.in[0], c.in[0])}; }
Values reciprocal(const Call& c) { return {c.b.div(c.b.like(c.in[0], 1), c.in[0])}; }

Values round(const Call& c) {
  if (integral(c.in[0])) return {c.in[0]};
  return {c.b.unary("stablehlo.round_nearest_even", c.in[0])};
}

Values is_nan(const Call& c) { return {c.b.compare("NE", c.in[0], c.in[0])}; }
Values is_inf(const Call& c) {
  const Value x = c.b.abs(c.in[0]);
  return {c.b.compare("EQ", x, c.b.highest(x.dtype, x.shape))};
}
Values is_finite(const Call& c) {
  return {c.b.one("stablehlo.is_finite", {c.in[0]}, {DType::kBool, c.in[0].shape})};
}

// Shifts by the width of the type or more are undefined.
Values left_shift(const Call& c) {
  return {c.b.binary("stablehlo.shift_left", c.broadcast(0), c.broadcast(1))};
}
Values right_shift(const Call& c) {
  const bool is_unsigned = kUnsignedIntTypes.contains(c.in[0].dtype);
  return {
      c.b.binary(is_unsigned ? "stablehlo.shift_right_logical" : "stablehlo.shift_right_arithmetic",
                 c.broadcast(0), c.broadcast(1))};
}

Values select(const Call& c) {
  return {c.b.select(c.broadcast(0), c.broadcast(1), c.broadcast(2))};
}
Values clip_by_value(const Call& c) {
  return {c.b.max(c.b.min(c.broadcast(0), c.broadcast(2)), c.broadcast(1))};
}
Values cast(const Call& c) { return {c.b.convert(c.in[0], c.out[0].dtype)}; }
Values identity(const Call& c) { return {c.in[0]}; }
Values complex(const Call& c) {
  return {c.b.one("stablehlo.complex", {c.broadcast(0), c.broadcast(1)}, c.out[0])};
}
Values real(const Call& c) {
  return is_complex(c.in[0].dtype) ? Values{c.b.one("stablehlo.real", {c.in[0]}, c.out[0])}
                                   : identity(c);
}
Values conj(const Call& c) { return {c.b.conj(c.in[0])}; }
Values angle(const Call& c) {
  const Value& x = c.in[0];
  if (!is_complex(x.dtype)) {
    return {c.b.select(is_negative(c.b, x), c.b.like(x, std::numbers::pi), c.b.like(x, 0))};
  }
  const TensorSpec parts = c.out[0];
  return {c.b.binary("stablehlo.atan2", c.b.one("stablehlo.imag", {x}, parts),
                     c.b.one("stablehlo.real", {x}, parts))};
}

// Activations.

Values relu(const Call& c) { return {c.b.max(c.in[0], c.b.like(c.in[0], 0))}; }
Values relu6(const Call& c) {
  return {c.b.min(c.b.max(c.in[0], c.b.like(c.in[0], 0)), c.b.like(c.in[0], 6))};
}
Value is_positive(Builder& b, const Value& x) { return b.compare("GT", x, b.like(x, 0)); }
Values relu_grad(const Call& c) {
  const Value dy = c.in[0];
  return {c.b.select(is_positive(c.b, c.in[1]), dy, c.b.like(dy, 0))};
}
Values relu6_grad(const Call& c) {
  const Value dy = c.in[0];
  const Value below = c.b.compare("LT", c.in[1], c.b.like(c.in[1], 6));
  return {c.b.select(c.b.logical_and(is_positive(c.b, c.in[1]), below), dy, c.b.like(dy, 0))};
}
Values leaky_relu(const Call& c) {
  const Value& x = c.in[0];
  const Value small = c.b.mul(x, c.b.like(x, c.attrs<ops::LeakyReluAttrs>().alpha));
  return {c.b.select(is_positive(c.b, x), x, small)};
}
Values leaky_relu_grad(const Call& c) {
  const Value& dy = c.in[0];
  const Value small = c.b.mul(dy, c.b.like(dy, c.attrs<ops::LeakyReluAttrs>().alpha));
  return {c.b.select(is_positive(c.b, c.in[1]), dy, small)};
}

constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;

Values elu(const Call& c) {
  const Value& x = c.in[0];
  return {c.b.select(is_negative(c.b, x), c.b.unary("stablehlo.exponential_minus_one", x), x)};
}
Values elu_grad(const Call& c) {
  const Value &dy = c.in[0], &y = c.in[1];
  return {c.b.select(is_negative(c.b, y), c.b.mul(dy, c.b.add(y, c.b.like(y, 1))), dy)};
}
Values selu(const Call& c) {
  const Value& x = c.in[0];
  const Value below = c.b.mul(c.b.unary("stablehlo.exponential_minus_one", x),
                              c.b.like(x, kSeluScale * kSeluAlpha));
  return {c.b.select(is_negative(c.b, x), below, c.b.mul(x, c.b.like(x, kSeluScale)))};
}
Values selu_grad(const Call& c) {
  const Value &dy = c.in[0], &y = c.in[1];
  const Value below = c.b.mul(dy, c.b.add(y, c.b.like(y, kSeluScale * kSeluAlpha)));
  return {c.b.select(is_negative(c.b, y), below, c.b.mul(dy, c.b.like(dy, kSeluScale)))};
}
Value softplus_of(Builder& b, const Value& x) {
  const Value tail = b.unary("stablehlo.log_plus_one", b.exp(b.negate(b.abs(x))));
  return b.add(b.max(x, b.like(x, 0)), tail);
}
Values softplus(const Call& c) { return {softplus_of(c.b, c.in[0])}; }
Values softplus_grad(const Call& c) {
  return {c.b.mul(c.in[0], c.b.unary("stablehlo.logistic", c.in[1]))};
}
Values softsign(const Call& c) {
  return {c.b.div(c.in[0], c.b.add(c.b.abs(c.in[0]), c.b.like(c.in[0], 1)))};
}
Values softsign_grad(const Call& c) {
  const Value below = c.b.add(c.b.abs(c.in[1]), c.b.like(c.in[1], 1));
  return {c.b.div(c.in[0], c.b.mul(below, below))};
}

// x / 2 (1 + erf(x / √2)), or with tanh(√(2/π) (x + 0.044715 x³)) in place of erf.
struct GeluParts {
  Value x, inner;
};
constexpr double kGeluCubic = 0.044715;
const double kGeluScale = std::sqrt(2 / std::numbers::pi);

// 16-bit floats are computed with 32 bits.
DType wide(DType dtype) { return dtype == DType::kFloat64 ? dtype : DType::kFloat32; }

Value gelu_inner(Builder& b, const Value& x, bool approximate) {
  if (!approximate) return b.unary("chlo.erf", b.mul(x, b.like(x, std::numbers::sqrt2 / 2)));
  const Value cube = b.mul(b.mul(x, x), x);
  const Value sum = b.add(x, b.mul(cube, b.like(x, kGeluCubic)));
  return b.unary("stablehlo.tanh", b.mul(sum, b.like(x, kGeluScale)));
}
Values gelu(const Call& c) {
  Builder& b = c.b;
  const Value x = b.convert(c.in[0], wide(c.in[0].dtype));
  const Value inner = gelu_inner(b, x, c.attrs<ops::GeluAttrs>().approximate);
  const Value y = b.mul(b.mul(x, b.like(x, 0.5)), b.add(inner, b.like(x, 1)));
  return {b.convert(y, c.out[0].dtype)};
}
Values gelu_grad(const Call& c) {
  Builder& b = c.b;
  const bool approximate = c.attrs<ops::GeluAttrs>().approximate;
  const Value dy = b.convert(c.in[0], wide(c.in[0].dtype));
  const Value x = b.convert(c.in[1], wide(c.in[1].dtype));
  const Value inner = gelu_inner(b, x, approximate);
  const Value first = b.mul(b.add(inner, b.like(x, 1)), b.like(x, 0.5));
  const Value square = b.mul(x, x);
  Value slope;
  if (approximate) {
    const Value derivative =
        b.mul(b.add(b.mul(square, b.like(x, 3 * kGeluCubic)), b.like(x, 1)), b.like(x, kGeluScale));
    slope = b.mul(b.sub(b.like(x, 1), b.mul(inner, inner)), b.mul(derivative, b.like(x, 0.5)));
  } else {
    slope = b.mul(b.exp(b.mul(square, b.like(x, -0.5))),
                  b.like(x, 1 / std::sqrt(2 * std::numbers::pi)));
  }
  return {b.convert(b.mul(dy, b.add(first, b.mul(x, slope))), c.out[0].dtype)};
}

// The value y in gradients computed from y. Complex ones would need its conjugate.
Value value_of(const Call& c) {
  if (is_complex(c.in[0].dtype)) refuse("this gradient for complex numbers");
  return c.in[0];
}
Values sqrt_grad(const Call& c) {
  const Value y = value_of(c);
  return {c.b.div(c.b.mul(c.in[1], c.b.like(y, 0.5)), y)};
}
Values rsqrt_grad(const Call& c) {
  const Value y = value_of(c);
  return {c.b.mul(c.b.mul(c.b.mul(y, y), y), c.b.mul(c.in[1], c.b.like(y, -0.5)))};
}
Values reciprocal_grad(const Call& c) {
  const Value y = value_of(c);
  return {c.b.negate(c.b.mul(c.in[1], c.b.mul(y, y)))};
}
Values tanh_grad(const Call& c) {
  const Value y = value_of(c);
  return {c.b.mul(c.in[1], c.b.sub(c.b.like(y, 1), c.b.mul(y, y)))};
}
Values sigmoid_grad(const Call& c) {
  const Value y = value_of(c);
  return {c.b.mul(c.in[1], c.b.mul(y, c.b.sub(c.b.like(y, 1), y)))};
}

constexpr std::pair<const char*, Rule> kElementwiseRules[] = {
    {"add_n", add_n},
    {"divide_no_nan", divide_no_nan},
    {"multiply_no_nan", multiply_no_nan},
    {"hypot", hypot},
    {"truncatediv", truncatediv},
    {"floordiv", floordiv},
    {"floormod", floormod},
    {"pow", power},
    {"squared_difference", squared_difference},
    {"xdivy", times_function<x_over_y>},
    {"xlogy", times_function<x_log_y>},
    {"xlog1py", times_function<x_log1p_y>},
    {"abs", abs},
    {"sign", sign},
    {"square", square},
    {"reciprocal", reciprocal},
    {"round", round},
    {"is_nan", is_nan},
    {"is_inf", is_inf},
    {"is_finite", is_finite},
    {"left_shift", left_shift},
    {"right_shift", right_shift},
    {"select", select},
    {"clip_by_value", clip_by_value},
    {"cast", cast},
    {"identity", identity},
    {"stop_gradient", identity},
    {"complex", complex},
    {"real", real},
    {"conj", conj},
    {"angle", angle},
    {"relu", relu},
    {"relu_grad", relu_grad},
    {"relu6", relu6},
    {"relu6_grad", relu6_grad},
    {"leaky_relu", leaky_relu},
    {"leaky_relu_grad", leaky_relu_grad},
    {"elu", elu},
    {"elu_grad", elu_grad},
    {"selu", selu},
    {"selu_grad", selu_grad},
    {"softplus", softplus},
    {"softplus_grad", softplus_grad},
    {"softsign", softsign},
    {"softsign_grad", softsign_grad},
    {"gelu", gelu},
    {"gelu_grad", gelu_grad},
    {"sqrt_grad", sqrt_grad},
    {"rsqrt_grad", rsqrt_grad},
    {"reciprocal_grad", reciprocal_grad},
    {"tanh_grad", tanh_grad},
    {"sigmoid_grad", sigmoid_grad},
};

}  // namespace

RuleList elementwise_rules() { return kElementwiseRules; }

}  // namespace ef::lower
