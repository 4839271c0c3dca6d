// Reductions of the rows of segments: inference and gradients.
#include "ops/segments.h"

#include "kernels/cpu/segments.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/partition.h"
#include "ops/reduction.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

Tensor rows_of(const Tensor& segments, const Tensor& ids) {
  return call(gather_or_zero, {segments, ids});
}

Tensor totals_of(const Tensor& rows, const Tensor& ids, int64_t count) {
  return call(unsorted_segment_sum, {rows, ids}, UnsortedSegmentAttrs{.num_segments = count});
}

// A vector reshaped to `rank` axes, of which all but the first have size 1.
Tensor with_rank(const Tensor& vector, int rank) {
  Shape shape{-1};
  for (int i = 1; i < rank; ++i) shape.push_back(1);
  return reshape_to(vector, shape);
}

// Divides each row by a number of its own.
Tensor divided(const Tensor& rows, const Tensor& numbers) {
  if (rows.shape().ranked()) return rows / with_rank(numbers, rows.rank());
  const auto flipped = [](const Tensor& t) { return call(transpose, {t}, TransposeAttrs{}); };
  return flipped(flipped(rows) / numbers);
}

// Counts of at least one, so that divisions leave empty segments zero.
Tensor at_least_one(const Tensor& counts) {
  return call(maximum, {counts, ef::ones(counts.dtype(), {})});
}

Tensor counts_of(const Tensor& ids, int64_t count, DType dtype) {
  const Tensor each = call(ones_like, {ids}, LikeAttrs{.dtype = dtype});
  return at_least_one(totals_of(each, ids, count));
}

// Elements equal to their segment's extreme share its gradient.
void extreme_gradient(GradContext& g) {
  const Tensor& ids = g.input(1);
  const Tensor& result = g.output(0);
  const Tensor chosen = call(equal, {g.input(0), rows_of(result, ids)});
  const Tensor shares =
      at_least_one(totals_of(cast_to(chosen, result.dtype()), ids, g.output_shape(0)[0]));
  const Tensor gathered = rows_of(g.dy() / shares, ids);
  g.set(0, ef::select(chosen, gathered, ef::zeros_like(gathered)));
}

// Whether the previous row of each row is in the same segment, and whether the next row is.
struct Neighbours {
  Tensor follows, followed;
};

Neighbours neighbours_of(const Tensor& ids, DType dtype, const Shape& shape) {
  const auto part = [](const Tensor& vector, int64_t begin, int64_t end) {
    return call(strided_slice, {vector},
                StridedSliceAttrs{.begin = {begin}, .end = {end}, .strides = {1}});
  };
  const int64_t n = shape[0];
  const Tensor same = cast_to(call(equal, {part(ids, 1, n), part(ids, 0, -1)}), dtype);
  const auto spread = [&](int64_t before, int64_t after) {
    const Tensor padded = call(pad, {same}, PadAttrs{.paddings = {before, after}});
    return broadcast_to_shape(with_rank(part(padded, 0, n), shape.rank()), shape);
  };
  return {spread(1, 0), spread(0, 1)};
}

// The gradient of a row is the product of earlier rows of its segment times that of later rows. It
// is exact even if elements are zero, also in higher derivatives.
void segment_product_gradient(GradContext& g) {
  const Tensor& data = g.input(0);
  const Tensor& ids = g.input(1);
  const Shape sizes = sizes_of(data);
  if (sizes.fully_known() && data.size() == 0) return g.set(0, ef::zeros_like(data));
  const int64_t n = element_count(sizes_of(ids));
  const Tensor flat = reshape_to(ids, {-1});
  const Tensor order = call(argsort, {flat}, SortAttrs{});
  const Tensor back = call(invert_permutation, {order});
  const auto taken = [](const Tensor& rows, const Tensor& at) {
    return call(gather, {rows, at}, GatherAttrs{});
  };
  const Shape shape = joined({n}, without_first(sizes, ids.rank()));
  const Tensor rows = conjugate(taken(reshape_to(data, shape), order));
  const auto [follows, followed] = neighbours_of(taken(flat, order), data.dtype(), shape);
  const Tensor before =
      call(linear_scan, {rows * followed, 1 - follows}, LinearScanAttrs{.previous = true});
  const Tensor after = call(linear_scan, {rows * follows, 1 - followed},
                            LinearScanAttrs{.reverse = true, .previous = true});
  const Tensor others = reshape_to(taken(before * after, back), sizes);
  g.set(0, rows_of(g.dy(), ids) * others);
}

void check_unsorted(InferContext& c) {
  const char* const op = c.op().tf_name;
  const Shape& data = c.shape(0);
  const Shape& ids = c.shape(1);
  const bool ranked = data.ranked() && ids.ranked();
  bool prefix = !ranked || ids.rank() <= data.rank();
  for (int i = 0; ranked && prefix && i < ids.rank(); ++i) prefix = compatible(ids[i], data[i]);
  if (!prefix) {
    invalid_argument("data.shape = ", data, " does not start with segment_ids.shape = ", ids,
                     " [Op:", op, "]");
  }
  const int64_t segments = c.attrs<UnsortedSegmentAttrs>().num_segments;
  if (segments < 0 && segments != kUnknownInt) {
    invalid_argument("Input num_segments == ", segments, " must not be negative. [Op:", op, "]");
  }
  Shape shape = Shape::unranked();
  if (ranked) shape = joined({size_or_unknown(segments)}, without_first(data, ids.rank()));
  check_elements(shape, op);
  c.add_output(c.dtype(0), shape);
}

void check_sorted(InferContext& c) {
  const char* const op = c.op().tf_name;
  if (!may_have_rank(c.shape(1), 1)) {
    invalid_argument("segment_ids should be a vector, got shape ", c.shape(1), " [Op:", op, "]");
  }
  if (!may_have_rank_from(c.shape(0), 1) ||
      !compatible(size_of(c.shape(0), 0), size_of(c.shape(1), 0))) {
    invalid_argument("segment_ids should be the same size as dimension 0 of input: ", c.shape(1),
                     " vs. ", c.shape(0), " [Op:", op, "]");
  }
  Shape shape = c.shape(0);
  if (shape.ranked()) shape[0] = kUnknownSize;
  c.add_output(c.dtype(0), shape);
}

std::vector<InputSpec> rows_and_ids(DTypeSet types) {
  return {{.name = "data", .dtypes = types, .no_kernel = kQuantizedTypes},
          {"segment_ids", kIndexTypes, "Tindices"}};
}

constexpr Need kIds{.inputs = 2};
constexpr Need kAll{.inputs = 3, .outputs = 1};
constexpr Need kInputs{.inputs = 3};

}  // namespace

const Op unsorted_segment_max{{
    .name = "unsorted_segment_max",
    .tf_name = "UnsortedSegmentMax",
    .inputs = rows_and_ids(kRealTypes),
    .attrs = attrs_of<UnsortedSegmentAttrs>(),
    .tensor_attrs = {{"num_segments", "Tnumsegments"}},
    .infer = check_unsorted,
    .kernel = cpu::unsorted_segment_max,
    .gradient = extreme_gradient,
    .needs = {kAll, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The largest rows of each segment, element by element; the dtype's least for none.",
}};

const Op unsorted_segment_min{{
    .name = "unsorted_segment_min",
    .tf_name = "UnsortedSegmentMin",
    .inputs = rows_and_ids(kRealTypes),
    .attrs = attrs_of<UnsortedSegmentAttrs>(),
    .tensor_attrs = {{"num_segments", "Tnumsegments"}},
    .infer = check_unsorted,
    .kernel = cpu::unsorted_segment_min,
    .gradient = extreme_gradient,
    .needs = {kAll, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The least rows of each segment, element by element; the dtype's largest for none.",
}};

const Op unsorted_segment_prod{{
    .name = "unsorted_segment_prod",
    .tf_name = "UnsortedSegmentProd",
    .inputs = rows_and_ids(kNumericTypes),
    .attrs = attrs_of<UnsortedSegmentAttrs>(),
    .tensor_attrs = {{"num_segments", "Tnumsegments"}},
    .infer = check_unsorted,
    .kernel = cpu::unsorted_segment_prod,
    .gradient = segment_product_gradient,
    .needs = {kInputs, {}},
    .may_be_unknown = Unknown::kSizes,
    .doc = "The products of rows that belong to the same segment; one for none.",
}};

const Op segment_sum{{
    .name = "segment_sum",
    .tf_name = "SegmentSum",
    .inputs = rows_and_ids(kNumericTypes),
    .infer = check_sorted,
    .kernel = cpu::segment_sum,
    .gradient = [](GradContext& g) { g.set(0, rows_of(g.dy(), g.input(1))); },
    .needs = {kIds, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Sums of neighbouring rows of one segment.",
}};

const Op segment_mean{{
    .name = "segment_mean",
    .tf_name = "SegmentMean",
    .inputs = rows_and_ids(kNumericTypes),
    .infer = check_sorted,
    .kernel = cpu::segment_mean,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          const Tensor counts = counts_of(g.input(1), g.output_shape(0)[0], dy.dtype());
          g.set(0, rows_of(divided(dy, counts), g.input(1)));
        },
    .needs = {kIds, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Means of neighbouring rows of one segment.",
}};

const Op segment_max{{
    .name = "segment_max",
    .tf_name = "SegmentMax",
    .inputs = rows_and_ids(kRealTypes),
    .infer = check_sorted,
    .kernel = cpu::segment_max,
    .gradient = extreme_gradient,
    .needs = {kAll, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The largest of neighbouring rows of one segment.",
}};

const Op segment_min{{
    .name = "segment_min",
    .tf_name = "SegmentMin",
    .inputs = rows_and_ids(kRealTypes),
    .infer = check_sorted,
    .kernel = cpu::segment_min,
    .gradient = extreme_gradient,
    .needs = {kAll, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The least of neighbouring rows of one segment.",
}};

const Op segment_prod{{
    .name = "segment_prod",
    .tf_name = "SegmentProd",
    .inputs = rows_and_ids(kNumericTypes),
    .infer = check_sorted,
    .kernel = cpu::segment_prod,
    .gradient = segment_product_gradient,
    .needs = {kInputs, {}},
    .may_be_unknown = Unknown::kSizes,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Products of neighbouring rows of one segment.",
}};

const Op sparse_segment_sum{{
    .name = "sparse_segment_sum",
    .tf_name = "SparseSegmentSum",
    .inputs = {{"data", kRealTypes},
               {"indices", kIndexTypes, "Tindices"},
               {"segment_ids", kIndexTypes, "Tindices"}},
    .attrs = attrs_of<SparseSegmentAttrs>(),
    .infer =
        [](InferContext& c) {
          const char* const op = c.op().tf_name;
          if (!may_have_rank(c.shape(1), 1)) {
            invalid_argument("indices should be a vector. [Op:", op, "]");
          }
          if (!may_have_rank(c.shape(2), 1)) {
            invalid_argument("segment_ids should be a vector. [Op:", op, "]");
          }
          if (!may_equal(c.shape(1), c.shape(2))) {
            invalid_argument("segment_ids and indices should have same size, got ", c.shape(2),
                             " and ", c.shape(1), " [Op:", op, "]");
          }
          if (is_scalar(c.shape(0))) invalid_argument("data must have rows [Op:", op, "]");
          Shape shape = c.shape(0);
          if (shape.ranked()) {
            const auto count = c.attrs<SparseSegmentAttrs>().num_segments.value_or(kUnknownInt);
            if (count < 0 && count != kUnknownInt) checked_num_elements({&count, 1}, op);
            shape[0] = size_or_unknown(count);
          }
          check_elements(shape, op);
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::sparse_segment_sum,
    .gradient =
        [](GradContext& g) {
          Tensor dy = g.dy();
          const Tensor& ids = g.input(2);
          const SegmentScale scale = g.attrs<SparseSegmentAttrs>().scale;
          if (scale != SegmentScale::kSum) {
            const Tensor counts = counts_of(ids, g.output_shape(0)[0], dy.dtype());
            dy = divided(dy, scale == SegmentScale::kMean ? counts : call(sqrt, {counts}));
          }
          g.set(0, totals_of(rows_of(dy, ids), g.input(1), g.input_shape(0)[0]));
        },
    .needs = {{.inputs = 6}, {}, {}},
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Sums, or means, of rows that indices pick, by ascending segments.",
}};

}  // namespace ef::ops
