// Sorting, the largest elements, and searches in sorted rows.
#include "lower/rule.h"
#include "ops/indexing.h"
#include "ops/partition.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// The sorted elements along an axis, and their indices. The sort is stable.
Values sorted(Builder& b, const Value& x, int64_t axis, bool descending) {
  const Value places = b.iota(DType::kInt32, x.shape, axis);
  const TensorSpec value{x.dtype, {}}, place{DType::kInt32, {}};
  const TensorSpec arguments[] = {value, value, place, place};
  const std::string body = b.region(arguments, [&](const Values& a) {
    return Values{b.compare(descending ? "GT" : "LT", a[0], a[1], is_floating(x.dtype))};
  });
  const Values operands{x, places};
  const TensorSpec results[] = {x.spec(), places.spec()};
  return b.op("stablehlo.sort", operands, cat("dimension = ", axis, " : i64, is_stable = true"),
              results, {&body, 1});
}

template <size_t kResult>
Values sort(const Call& c) {
  const auto& attrs = c.attrs<ops::SortAttrs>();
  const bool descending = attrs.direction == ops::SortDirection::kDescending;
  const int64_t axis = normalized(attrs.axis, c.in[0].rank());
  return {sorted(c.b, c.in[0], axis, descending)[kResult]};
}

Values top_k(const Call& c) {
  const int64_t k = c.out[0].shape.back();
  return c.b.op("chlo.top_k", c.in, cat("k = ", k, " : i64"), c.out);
}

// By counting the elements before each value.
Values searchsorted(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::SearchSortedAttrs>();
  const Value &rows = c.in[0], &values = c.in[1];
  Shape shape = values.shape;
  shape.push_back(rows.shape.back());
  const int rank = shape.rank();
  Dims axes = axes_from(0, rank - 2);
  axes.push_back(rank - 1);
  const Value row = b.broadcast_in_dim(rows, shape, axes);
  const Value value = b.broadcast_in_dim(values, shape, axes_from(0, rank - 1));
  const bool left = attrs.side == ops::SearchSide::kLeft;
  const Value before = b.convert(b.compare(left ? "LT" : "LE", row, value), c.out[0].dtype);
  return {b.reduce(Reduction::kAdd, before, Dims{rank - 1})};
}

Values invert_permutation(const Call& c) {
  const Value& x = c.in[0];
  const Value order = sorted(c.b, x, 0, false)[1];
  return {c.b.convert(order, x.dtype)};
}

constexpr std::pair<const char*, Rule> kSortingRules[] = {
    {"sort", sort<0>},
    {"argsort", sort<1>},
    {"top_k", top_k},
    {"searchsorted", searchsorted},
    {"invert_permutation", invert_permutation},
};

}  // namespace

RuleList sorting_rules() { return kSortingRules; }

}  // namespace ef::lower
