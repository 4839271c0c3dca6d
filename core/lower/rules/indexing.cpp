// Gathers, scatters, reductions of segments, and one-hot vectors.
#include <limits>

#include "lower/rule.h"
#include "ops/indexing.h"
#include "ops/partition.h"
#include "ops/segments.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

std::string list(std::span<const int64_t> numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i) text += cat(i ? ", " : "", numbers[i]);
  return text + "]";
}

// The dimension numbers of a gather or scatter.
struct Places {
  Dims window;     // axes of the result that come from slices
  Dims collapsed;  // axes of the tensor that indices choose from
  int64_t batch = 0;
  int64_t index_axis = 0;
  Dims sizes;  // of slices

  std::string gather() const {
    const Dims batches = axes_from(0, batch);
    return cat("dimension_numbers = #stablehlo.gather<offset_dims = ", list(window),
               ", collapsed_slice_dims = ", list(collapsed),
               ", operand_batching_dims = ", list(batches),
               ", start_indices_batching_dims = ", list(batches),
               ", start_index_map = ", list(collapsed), ", index_vector_dim = ", index_axis,
               ">, slice_sizes = ", array_text(sizes), ", indices_are_sorted = false");
  }
  std::string scatter() const {
    const Dims batches = axes_from(0, batch);
    return cat(
        "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = ", list(window),
        ", inserted_window_dims = ", list(collapsed), ", input_batching_dims = ", list(batches),
        ", scatter_indices_batching_dims = ", list(batches),
        ", scatter_dims_to_operand_dims = ", list(collapsed), ", index_vector_dim = ", index_axis,
        ">, indices_are_sorted = false, unique_indices = false");
  }
};

// params[..., indices, ...] along an axis.
Places places_along(const Shape& params, const Shape& indices, const ops::GatherAttrs& attrs) {
  Places places;
  const int64_t batch = normalized(attrs.batch_dims, indices.rank());
  const int64_t axis = normalized(attrs.axis, params.rank());
  places.batch = batch;
  places.collapsed = {axis};
  places.index_axis = indices.rank();
  for (int i = 0; i < params.rank(); ++i) {
    const bool chosen = i < batch || i == axis;
    places.sizes.push_back(chosen ? 1 : params[i]);
    if (chosen) continue;
    places.window.push_back(i < axis ? i : i - 1 + indices.rank() - batch);
  }
  return places;
}

// params[indices[..., 0], indices[..., 1], ...].
Places places_nd(const Shape& params, const Shape& indices, int64_t batch) {
  const int64_t depth = indices.back();
  Places places;
  places.batch = batch;
  places.collapsed = axes_from(batch, batch + depth);
  places.index_axis = indices.rank() - 1;
  for (int i = 0; i < params.rank(); ++i) {
    places.sizes.push_back(i < batch + depth ? 1 : params[i]);
    if (i >= batch + depth) places.window.push_back(indices.rank() - 1 + i - batch - depth);
  }
  return places;
}

// Slices at places of a tensor. Programs refuse slices of an axis without elements; there is
// nothing that indices could be of, so that any value will do.
Value gathered(Builder& b, const Value& params, const Value& indices, const TensorSpec& result,
               const Places& places) {
  if (params.shape.num_elements() == 0) return b.full(result.dtype, result.shape, 0);
  return b.one("stablehlo.gather", {params, indices}, result, places.gather());
}

Value scatter(Builder& b, const std::string& region, const Value& into, const Value& indices,
              const Value& updates, const Places& places) {
  if (into.shape.num_elements() == 0) return into;
  return b.one("stablehlo.scatter", {into, indices, updates}, into.spec(), places.scatter(),
               {&region, 1});
}

std::string replacing(Builder& b, DType dtype) {
  const TensorSpec scalar{dtype, {}};
  const TensorSpec two[] = {scalar, scalar};
  return b.region(two, [](const Values& a) { return Values{a[1]}; });
}

Values gather(const Call& c) {
  if (!c.late.empty()) refuse("gathers along an axis that is not known");
  const Places places = places_along(c.in[0].shape, c.in[1].shape, c.attrs<ops::GatherAttrs>());
  return {gathered(c.b, c.in[0], c.in[1], c.out[0], places)};
}

Values gather_grad(const Call& c) {
  const auto& attrs = c.attrs<ops::GatherGradAttrs>();
  const Value zeros = c.b.full(c.out[0].dtype, c.out[0].shape, 0);
  const Places places = places_along(zeros.shape, c.in[1].shape, attrs.gather);
  return {
      scatter(c.b, c.b.combiner(Reduction::kAdd, zeros.dtype), zeros, c.in[1], c.in[0], places)};
}

Values gather_nd(const Call& c) {
  const int64_t batch = c.attrs<ops::GatherNdAttrs>().batch_dims;
  if (c.in[1].shape.back() == 0) return {c.b.broadcast(c.in[0], c.out[0].shape)};
  const Places places = places_nd(c.in[0].shape, c.in[1].shape, batch);
  return {gathered(c.b, c.in[0], c.in[1], c.out[0], places)};
}

Values gather_nd_grad(const Call& c) {
  const auto& attrs = c.attrs<ops::GatherNdGradAttrs>();
  if (c.in[1].shape.back() == 0) refuse("gradients of gathers by empty indices");
  const Value zeros = c.b.full(c.out[0].dtype, c.out[0].shape, 0);
  const Places places = places_nd(zeros.shape, c.in[1].shape, attrs.gather.batch_dims);
  return {
      scatter(c.b, c.b.combiner(Reduction::kAdd, zeros.dtype), zeros, c.in[1], c.in[0], places)};
}

Values gather_or_zero(const Call& c) {
  const Value rows = c.b.take_rows(c.in[0], c.in[1]);
  const Value absent = c.b.compare("LT", c.in[1], c.b.like(c.in[1], 0));
  const Value mask = c.b.broadcast_in_dim(absent, rows.shape, axes_from(0, c.in[1].rank()));
  return {c.b.select(mask, c.b.like(rows, 0), rows)};
}

Values scatter_nd(const Call& c) {
  const Value zeros = c.b.full(c.out[0].dtype, c.out[0].shape, 0);
  if (c.in[0].shape.back() == 0) refuse("scatters by empty indices");
  return {scatter(c.b, c.b.combiner(Reduction::kAdd, zeros.dtype), zeros, c.in[0], c.in[1],
                  places_nd(zeros.shape, c.in[0].shape, 0))};
}

Values tensor_scatter(const Call& c, const std::string& region, const Value& updates) {
  if (c.in[1].shape.back() == 0) refuse("scatters by empty indices");
  return {
      scatter(c.b, region, c.in[0], c.in[1], updates, places_nd(c.in[0].shape, c.in[1].shape, 0))};
}
Values tensor_scatter_nd_update(const Call& c) {
  return tensor_scatter(c, replacing(c.b, c.in[0].dtype), c.in[2]);
}
template <Reduction kReduction>
Values tensor_scatter_nd(const Call& c) {
  return tensor_scatter(c, c.b.combiner(kReduction, c.in[0].dtype), c.in[2]);
}
Values tensor_scatter_nd_sub(const Call& c) {
  const Value updates = c.b.negate(c.in[2]);
  return tensor_scatter(c, c.b.combiner(Reduction::kAdd, c.in[0].dtype), updates);
}

// The extreme of a segment of floats without rows: the finite limit of the dtype.
Value empty_segments(Builder& b, bool largest, DType dtype, const Shape& shape) {
  double limit = std::numeric_limits<double>::max();
  if (dtype == DType::kFloat32) limit = std::numeric_limits<float>::max();
  if (dtype == DType::kFloat16) limit = 65504;
  if (dtype == DType::kBfloat16) limit = 3.3895313892515355e38;
  return b.full(dtype, shape, largest ? -limit : limit);
}

template <Reduction kReduction>
Values unsorted_segment(const Call& c) {
  const Value &data = c.in[0], &ids = c.in[1];
  Builder& b = c.b;
  const Shape& shape = c.out[0].shape;
  Places places;
  places.collapsed = {0};
  places.index_axis = ids.rank();
  places.window = axes_from(ids.rank(), data.rank());
  const auto folded = [&](Reduction reduction, const Value& rows) {
    const Value into = b.broadcast(b.neutral(reduction, rows.dtype), shape);
    return scatter(b, b.combiner(reduction, rows.dtype), into, ids, rows, places);
  };
  const Value result = folded(kReduction, data);
  constexpr bool kLargest = kReduction == Reduction::kMaximum;
  if (!is_floating(data.dtype) || !(kLargest || kReduction == Reduction::kMinimum)) return {result};
  const Value counts = folded(Reduction::kAdd, b.full(DType::kInt32, data.shape, 1));
  const Value empty = b.compare("EQ", counts, b.like(counts, 0));
  return {b.select(empty, empty_segments(b, kLargest, data.dtype, shape), result)};
}

// Sums or means of gathered rows.
Values sparse_segment_sum(const Call& c) {
  Builder& b = c.b;
  const Value rows = b.take_rows(c.in[0], c.in[1]);
  const Shape& shape = c.out[0].shape;
  const auto total = [&](const Value& of, const Shape& to) {
    Places places;
    places.collapsed = {0};
    places.index_axis = 1;
    places.window = axes_from(1, of.rank());
    const std::string region = b.combiner(Reduction::kAdd, of.dtype);
    return scatter(b, region, b.full(of.dtype, to, 0), c.in[2], of, places);
  };
  const Value sums = total(rows, shape);
  const ops::SegmentScale scale = c.attrs<ops::SparseSegmentAttrs>().scale;
  if (scale == ops::SegmentScale::kSum) return {sums};
  Value counts = total(b.full(rows.dtype, c.in[2].shape, 1), {shape[0]});
  counts = b.max(counts, b.like(counts, 1));
  if (scale == ops::SegmentScale::kSqrtN) counts = b.sqrt(counts);
  return {b.div(sums, b.broadcast_in_dim(counts, shape, Dims{0}))};
}

Values one_hot(const Call& c) {
  Builder& b = c.b;
  const Shape& shape = c.out[0].shape;
  const int64_t axis = normalized(c.attrs<ops::OneHotAttrs>().axis, shape.rank());
  const Value wanted = b.spread(c.in[0], shape, Dims{axis});
  const Value hot = b.compare("EQ", wanted, b.iota(c.in[0].dtype, shape, axis));
  return {b.select(hot, b.broadcast(c.in[1], shape), b.broadcast(c.in[2], shape))};
}

// Reverses the first steps of each sequence.
Values reverse_sequence(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::ReverseSequenceAttrs>();
  const Value& x = c.in[0];
  const int64_t axis = normalized(attrs.seq_axis, x.rank());
  const int64_t batch = normalized(attrs.batch_axis, x.rank());
  Dims order{batch, axis};
  for (int i = 0; i < x.rank(); ++i) {
    if (i != batch && i != axis) order.push_back(i);
  }
  const Value turned = b.transpose(x, order);
  const int64_t rows = turned.shape[0], size = turned.shape[1];
  if (turned.shape.num_elements() == 0) return {x};
  const Shape grid{rows, size};
  const Value step = b.iota(DType::kInt64, grid, 1);
  const Value length = b.broadcast_in_dim(b.convert(c.in[1], DType::kInt64), grid, Dims{0});
  const Value mirrored = b.sub(b.sub(length, b.like(step, 1)), step);
  const Value from = b.select(b.compare("LT", step, length), mirrored, step);
  const Value first =
      b.mul(b.iota(DType::kInt64, grid, 0), b.like(step, static_cast<double>(size)));
  const Value flat = b.reshape(turned, {rows * size, turned.shape.num_elements() / (rows * size)});
  const Value places = b.reshape(b.add(first, from), {rows * size});
  const Value taken = b.reshape(b.take_rows(flat, places), turned.shape);
  Dims back(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return {b.transpose(taken, back)};
}

// Whether fewer than k scores are larger than the target's, and all are finite.
Values in_top_k(const Call& c) {
  Builder& b = c.b;
  const Value &scores = c.in[0], targets = b.convert(c.in[1], DType::kInt64);
  const Shape& shape = scores.shape;
  const Value wanted =
      b.compare("EQ", b.iota(DType::kInt64, shape, 1), b.broadcast_in_dim(targets, shape, Dims{0}));
  const Value finite = b.one("stablehlo.is_finite", {scores}, {DType::kBool, shape});
  const Value picked = b.select(wanted, scores, b.like(scores, 0));
  const Value own = b.reduce(Reduction::kAdd, picked, Dims{1});
  const Value larger = b.compare("GT", scores, b.broadcast_in_dim(own, shape, Dims{0}));
  const Value count = b.reduce(Reduction::kAdd, b.convert(larger, DType::kInt64), Dims{1});
  const Value below =
      b.compare("LT", count, b.full_int(DType::kInt64, count.shape, c.attrs<ops::InTopKAttrs>().k));
  const Value known = b.logical_and(b.reduce(Reduction::kAnd, finite, Dims{1}),
                                    b.reduce(Reduction::kOr, wanted, Dims{1}));
  return {b.logical_and(below, known)};
}

constexpr std::pair<const char*, Rule> kIndexingRules[] = {
    {"reverse_sequence", reverse_sequence},
    {"in_top_k", in_top_k},
    {"gather", gather},
    {"gather_grad", gather_grad},
    {"gather_nd", gather_nd},
    {"gather_nd_grad", gather_nd_grad},
    {"gather_or_zero", gather_or_zero},
    {"scatter_nd", scatter_nd},
    {"tensor_scatter_nd_update", tensor_scatter_nd_update},
    {"tensor_scatter_nd_add", tensor_scatter_nd<Reduction::kAdd>},
    {"tensor_scatter_nd_sub", tensor_scatter_nd_sub},
    {"tensor_scatter_nd_max", tensor_scatter_nd<Reduction::kMaximum>},
    {"tensor_scatter_nd_min", tensor_scatter_nd<Reduction::kMinimum>},
    {"unsorted_segment_sum", unsorted_segment<Reduction::kAdd>},
    {"unsorted_segment_max", unsorted_segment<Reduction::kMaximum>},
    {"unsorted_segment_min", unsorted_segment<Reduction::kMinimum>},
    {"unsorted_segment_prod", unsorted_segment<Reduction::kMultiply>},
    {"sparse_segment_sum", sparse_segment_sum},
    {"one_hot", one_hot},
};

}  // namespace

RuleList indexing_rules() { return kIndexingRules; }

}  // namespace ef::lower
