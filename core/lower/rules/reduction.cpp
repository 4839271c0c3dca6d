// Reductions, indices of extremes, and cumulative sums and products.
#include "ops/reduction.h"

#include <cmath>
#include <limits>
#include <optional>

#include "lower/rule.h"
#include "ops/norms.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

DType sum_dtype(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBfloat16 ? DType::kFloat32 : dtype;
}

Value finished(const Call& c, const Value& reduced) {
  return c.b.convert(c.b.reshape(reduced, c.out[0].shape), c.out[0].dtype);
}

template <Reduction kReduction>
Values reduce(const Call& c) {
  const auto& attrs = c.attrs<ops::ReduceAttrs>();
  const Dims axes = normalized(attrs.axis, c.in[0].rank());
  // 16-bit floats are summed in float32.
  const bool adds = kReduction == Reduction::kAdd || kReduction == Reduction::kMultiply;
  const Value x = adds ? c.b.convert(c.in[0], sum_dtype(c.in[0].dtype)) : c.in[0];
  return {finished(c, c.b.reduce(kReduction, x, axes))};
}

Values mean(const Call& c) {
  const auto& attrs = c.attrs<ops::ReduceAttrs>();
  const DType dtype = c.in[0].dtype;
  // Sums and counts of integers may not fit into the dtype of the mean.
  const bool narrow = is_integer(dtype) && element_size(dtype) < 8;
  const Value x = c.b.convert(c.in[0], narrow ? DType::kInt64 : sum_dtype(dtype));
  const Dims axes = normalized(attrs.axis, x.rank());
  int64_t count = 1;
  for (const int64_t axis : axes) count *= x.shape[static_cast<int>(axis)];
  const Value sum = c.b.reduce(Reduction::kAdd, x, axes);
  return {finished(c, c.b.div(sum, c.b.like(sum, static_cast<double>(count))))};
}

// The index of the first NaN, else of the first largest element.
template <bool kLargest>
Values arg_extremum(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::ArgExtremumAttrs>();
  const Value& x = c.in[0];
  const int64_t axis = normalized(attrs.axis.value_or(0), x.rank());
  const Value places = b.iota(attrs.output_type, x.shape, axis);
  const Value start = kLargest ? b.lowest(x.dtype, {}) : b.highest(x.dtype, {});
  const Value none = b.highest(attrs.output_type, {});
  const TensorSpec value{x.dtype, {}}, place{attrs.output_type, {}};
  const TensorSpec arguments[] = {value, place, value, place};
  const std::string body = b.region(arguments, [&](const Values& a) {
    Value better = b.compare(kLargest ? "GT" : "LT", a[0], a[2]);
    Value same = b.compare("EQ", a[0], a[2]);
    if (!is_integer(x.dtype) && x.dtype != DType::kBool) {
      const Value nan = b.compare("NE", a[0], a[0]), was_nan = b.compare("NE", a[2], a[2]);
      same = b.logical_or(same, b.logical_and(nan, was_nan));
      better = b.logical_or(better, b.logical_and(nan, b.compare("EQ", a[2], a[2])));
    }
    const Value earlier = b.compare("LT", a[1], a[3]);
    const Value first = b.logical_or(better, b.logical_and(same, earlier));
    return Values{b.select(first, a[0], a[2]), b.select(first, a[1], a[3])};
  });
  const Dims axes{axis};
  const Shape shape = without(x.shape, axes);
  const TensorSpec results[] = {{x.dtype, shape}, {attrs.output_type, shape}};
  const Values operands{x, places, start, none};
  const Values found =
      b.op("stablehlo.reduce", operands, "dimensions = " + array_text(axes), results, {&body, 1});
  return {found[1]};
}

// A scan by log2(n) steps, which combine each element with the one 1, 2, 4, … positions before.
template <Reduction kReduction>
Values scan(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::ScanAttrs>();
  const auto axis = static_cast<size_t>(normalized(attrs.axis, c.in[0].rank()));
  Value x = b.convert(c.in[0], sum_dtype(c.in[0].dtype));
  const int64_t size = x.shape[static_cast<int>(axis)];
  const Dims axes{static_cast<int64_t>(axis)};
  if (attrs.reverse) x = b.reverse(x, axes);
  const Value neutral = b.neutral(kReduction, x.dtype);
  const auto shifted = [&](const Value& from, int64_t by) {
    Dims before(static_cast<size_t>(x.rank()), 0), after = before;
    before[axis] = by;
    after[axis] = -by;
    return b.pad(from, neutral, before, after);
  };
  if (attrs.exclusive && size > 0) x = shifted(x, 1);
  for (int64_t by = 1; by < size; by *= 2) {
    const Value earlier = shifted(x, by);
    x = kReduction == Reduction::kAdd ? b.add(x, earlier) : b.mul(x, earlier);
  }
  if (attrs.reverse) x = b.reverse(x, axes);
  return {b.convert(x, c.out[0].dtype)};
}

// h[k] = t[k] + c[k] h[k - 1], by log2(n) steps. Each step changes c and t so that
// h[k] = t[k] + c[k] h[k - d] holds for d = 2, 4, 8, …
Values linear_scan(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::LinearScanAttrs>();
  const auto axis = static_cast<size_t>(normalized(attrs.axis, c.in[1].rank()));
  const Dims axes{static_cast<int64_t>(axis)};
  const DType dtype = sum_dtype(c.in[1].dtype);
  const auto ordered = [&](const Value& x) { return attrs.reverse ? b.reverse(x, axes) : x; };
  Value coefficients = ordered(b.convert(c.in[0], dtype)), h = ordered(b.convert(c.in[1], dtype));
  const Value zero = b.full(dtype, {}, 0);
  const auto shifted = [&](const Value& from, int64_t by) {
    Dims before(static_cast<size_t>(from.rank()), 0), after = before;
    before[axis] = by;
    after[axis] = -by;
    return b.pad(from, zero, before, after);
  };
  const int64_t size = h.shape[static_cast<int>(axis)];
  if (attrs.previous && size > 0) coefficients = shifted(coefficients, 1);
  for (int64_t by = 1; by < size; by *= 2) {
    h = b.add(h, b.mul(coefficients, shifted(h, by)));
    coefficients = b.mul(coefficients, shifted(coefficients, by));
  }
  return {b.convert(ordered(h), c.out[0].dtype)};
}

// The largest power of two up to a positive value: its bits without the mantissa.
Value power_below(Builder& b, const Value& x) {
  const bool is_double = x.dtype == DType::kFloat64;
  const DType bits = is_double ? DType::kInt64 : DType::kInt32;
  const int64_t mask = is_double ? 0x7FF0000000000000 : 0x7F800000;
  return b.bitcast(b.logical_and(b.bitcast(x, bits), b.full_int(bits, x.shape, mask)), x.dtype);
}

Values scaled_norm(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::ScaledNormAttrs>();
  const Value& total = c.in[0];
  const Shape& shape = total.shape;
  const DType dtype = c.out[0].dtype;
  const auto tensors = c.in.subspan(1);
  const bool is_double = total.dtype == DType::kFloat64;
  const auto reduced = [&](Reduction reduction, const Value& x) {
    return b.reshape(b.reduce(reduction, x, normalized(attrs.axis, x.rank())), shape);
  };
  const auto between = [&](const Value& x, double least, double most) {
    return b.logical_and(b.compare("GE", x, b.like(x, least)), b.compare("LE", x, b.like(x, most)));
  };
  const auto join = [&](std::optional<Value>& all, const Value& x, auto method) {
    all = all ? (b.*method)(*all, x) : x;
  };
  std::optional<Value> largest, squares;
  double elements = 0;
  for (const Value& x : tensors) {
    join(largest, reduced(Reduction::kMaximum, b.abs(b.convert(x, total.dtype))), &Builder::max);
    elements += static_cast<double>(x.shape.num_elements());
  }
  // The kernel's bounds: totals without loss of precision, and norms that are normal in float16.
  const Value exact = is_double ? between(total, 0x1p-970, std::numeric_limits<double>::max())
                                : between(total, 0x1p-103, std::numeric_limits<float>::max());
  const Value root = b.sqrt(total);
  const Value size = b.select(exact, root, *largest);
  const bool is_half = dtype == DType::kFloat16;
  const Value plain = is_half ? b.logical_and(exact, between(root, 0x1p-10, 0x1p10)) : exact;
  const int most = is_half ? 14 : is_double ? 1022 : 126;
  const Value power = b.min(b.max(power_below(b, size), b.like(size, std::ldexp(1.0, -most))),
                            b.like(size, std::ldexp(1.0, most)));
  const Value can = b.logical_and(b.compare("GT", size, b.like(size, 0)),
                                  b.one("stablehlo.is_finite", {size}, {DType::kBool, shape}));
  const Value one = b.like(size, 1);
  const Value scale = b.select(plain, one, b.select(can, power, one));
  const Value inverse = b.div(one, scale);
  for (const Value& x : tensors) {
    const Dims axes = normalized(attrs.axis, x.rank());
    const Value factor = b.spread(b.reshape(inverse, without(x.shape, axes)), x.shape, axes);
    const Value part = b.mul(b.convert(x, total.dtype), factor);
    join(squares, reduced(Reduction::kAdd, b.mul(part, part)), &Builder::add);
  }
  if (attrs.mean) {
    const double norms = static_cast<double>(shape.num_elements());
    squares = b.div(*squares, b.like(*squares, elements / norms));
  }
  const Value length = b.select(exact, b.mul(root, inverse), b.sqrt(*squares));
  return {b.convert(b.mul(length, scale), dtype), b.convert(length, dtype),
          b.convert(inverse, dtype)};
}

constexpr std::pair<const char*, Rule> kReductionRules[] = {
    {"reduce_sum", reduce<Reduction::kAdd>},
    {"reduce_mean", mean},
    {"reduce_prod", reduce<Reduction::kMultiply>},
    {"reduce_max", reduce<Reduction::kMaximum>},
    {"reduce_min", reduce<Reduction::kMinimum>},
    {"reduce_all", reduce<Reduction::kAnd>},
    {"reduce_any", reduce<Reduction::kOr>},
    {"argmax", arg_extremum<true>},
    {"argmin", arg_extremum<false>},
    {"cumsum", scan<Reduction::kAdd>},
    {"cumprod", scan<Reduction::kMultiply>},
    {"linear_scan", linear_scan},
    {"scaled_norm", scaled_norm},
};

}  // namespace

RuleList reduction_rules() { return kReductionRules; }

}  // namespace ef::lower
