// Reductions, extreme places, and cumulative sums and products.
#include "ops/reduction.h"
#include "lower/rule.h"
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
  // 16-bit floats are added up with 32 bits.
  const bool adds = kReduction == Reduction::kAdd || kReduction == Reduction::kMultiply;
  const Value x = adds ? c.b.convert(c.in[0], sum_dtype(c.in[0].dtype)) : c.in[0];
  return {finished(c, c.b.reduce(kReduction, x, axes))};
}

Values mean(const Call& c) {
  const auto& attrs = c.attrs<ops::ReduceAttrs>();
  const DType dtype = c.in[0].dtype;
  // Sums and counts of integers have more digits than their mean.
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

// Each element with those before it, by log2(n) steps of adding what lies 1, 2, 4, … before.
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

constexpr std::pair<const char*, Rule> kRules[] = {
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
};

}  // namespace

RuleList reduction_rules() { return kRules; }

}  // namespace ef::lower
