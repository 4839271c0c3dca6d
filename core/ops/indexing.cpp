// Gathering and scattering: inference and gradients.
#include "ops/indexing.h"

#include <limits>

#include "kernels/cpu/indexing.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

struct GatherAxes {
  int axis;
  int batch_dims;
};

GatherAxes gather_axes(const GatherAttrs& attrs, int params_rank, int indices_rank) {
  auto [axis, batch] = attrs;
  if (axis < -params_rank || axis >= params_rank) {
    invalid_argument("Expected axis in the range [", -params_rank, ", ", params_rank, "), but got ",
                     axis, " [Op:GatherV2]");
  }
  if (batch < -indices_rank || batch > indices_rank) {
    invalid_argument("Expected batch_dims in the range [", -indices_rank, ", ", indices_rank,
                     "], but got ", batch, " [Op:GatherV2]");
  }
  if (batch < 0) batch += indices_rank;
  const int at = static_cast<int>(axis < 0 ? axis + params_rank : axis);
  if (batch > at) {
    invalid_argument("batch_dims (", batch, ") must be less than or equal to axis (", at,
                     "). [Op:GatherV2]");
  }
  return {at, static_cast<int>(batch)};
}

// The known sizes if the axis or a rank is unknown.
Shape gathered_somewhere(const Shape& params, const Shape& indices, const GatherAttrs& attrs) {
  if (!params.ranked() || !indices.ranked() || attrs.batch_dims == kUnknownInt) {
    const auto outside = [](int64_t number, const Shape& shape, int most) {
      return number != kUnknownInt && shape.ranked() && (number < -shape.rank() || number > most);
    };
    if (outside(attrs.axis, params, params.rank() - 1)) {
      invalid_argument("Expected axis in the range [", -params.rank(), ", ", params.rank(),
                       "), but got ", attrs.axis, " [Op:GatherV2]");
    }
    if (outside(attrs.batch_dims, indices, indices.rank())) {
      invalid_argument("Expected batch_dims in the range [", -indices.rank(), ", ", indices.rank(),
                       "], but got ", attrs.batch_dims, " [Op:GatherV2]");
    }
    return Shape::unranked();
  }
  const int64_t batch = attrs.batch_dims < 0 ? attrs.batch_dims + indices.rank() : attrs.batch_dims;
  return Shape::of_rank(static_cast<int>(params.rank() + indices.rank() - batch - 1));
}

// Checks that a batch axis has the same size in both shapes.
inline void check_batch(const Shape& params, const Shape& indices, int axis, const char* op) {
  if (compatible(params[axis], indices[axis])) return;
  invalid_argument("params.shape[", axis, "]: ", params[axis], " should be equal to indices.shape[",
                   axis, "]: ", indices[axis], " [Op:", op, "]");
}

[[gnu::hot]] Shape gathered_shape(const Shape& params, const Shape& indices,
                                  const GatherAttrs& attrs) {
  if (!may_have_rank_from(params, 1)) {
    invalid_argument("params must be at least 1 dimensional [Op:GatherV2]");
  }
  if (!params.ranked() || !indices.ranked() || attrs.axis == kUnknownInt) [[unlikely]] {
    return gathered_somewhere(params, indices, attrs);
  }
  const auto [axis, batch_dims] = gather_axes(attrs, params.rank(), indices.rank());
  Shape result;
  for (int i = 0; i < axis; ++i) {
    if (i < batch_dims) check_batch(params, indices, i, "GatherV2");
    result.push_back(i < batch_dims ? merged(params[i], indices[i]) : params[i]);
  }
  for (int i = batch_dims; i < indices.rank(); ++i) result.push_back(indices[i]);
  for (int i = axis + 1; i < params.rank(); ++i) result.push_back(params[i]);
  check_elements(result, "GatherV2");
  return result;
}

[[gnu::hot]] void gather_infer(InferContext& c) {
  c.add_output(c.dtype(0), gathered_shape(c.shape(0), c.shape(1), c.attrs<GatherAttrs>()));
}

// The `dy` of a gradient has the shape of the gathered elements.
void check_taken(InferContext& c, const Shape& taken) {
  if (!may_equal(c.shape(0), taken)) {
    invalid_argument("dy must have the shape of the slices, ", taken, ", not ", c.shape(0),
                     " [Op:", c.op().tf_name, "]");
  }
}

// Gathered rows have a sparse gradient.
void gather_gradient(GradContext& g) {
  const Shape& params = g.input_shape(0);
  const Tensor& indices = g.input(1);
  const auto& attrs = g.attrs<GatherAttrs>();
  if (gathers_rows(g.attrs(), params, indices.shape())) {
    if (!params.fully_known()) {
      return g.set(0, call(unsorted_segment_sum, {g.dy(), indices},
                           UnsortedSegmentAttrs{.num_segments = params[0]}));
    }
    Shape rows = params;
    rows[0] = indices.size();
    return g.set_sparse(0, reshape_to(g.dy(), rows), reshape_to(indices, {rows[0]}), params);
  }
  if (!has_elements(params.dims()) || !indices.shape().ranked()) {
    fail(Code::kUnimplemented,
         "The gradient of GatherV2 along another axis than the first needs known ranks.");
  }
  g.set_gathered(0, g.dy(), indices, attrs);
}

void gather_nd_gradient(GradContext& g) {
  const Tensor& indices = g.input(1);
  const Shape& params = g.input_shape(0);
  if (gathers_rows(g.attrs(), params, indices.shape())) {
    g.set_sparse(0, g.dy(), reshape_to(indices, {-1}), params);
  } else {
    g.set_gathered(0, g.dy(), indices, g.attrs<GatherNdAttrs>());
  }
}

int64_t count_rows(Shape indices) {
  indices.erase(indices.rank() - 1);
  return known_elements(indices);
}

void gather_nd_check(const Shape& params, const Shape& indices, int64_t batch_dims) {
  if (!may_have_rank_from(params, 1)) {
    invalid_argument("params must be at least a vector [Op:GatherNd]");
  }
  if (!may_have_rank_from(indices, 1)) {
    invalid_argument("indices must be at least a vector [Op:GatherNd]");
  }
  if (!params.ranked() || !indices.ranked()) [[unlikely]]
    return;
  if (batch_dims < 0 || batch_dims >= indices.rank() || batch_dims >= params.rank()) {
    fail(Code::kValueError, "Argument `batch_dims` = ", batch_dims,
         " must be less than the ranks of params ", params, " and indices ", indices,
         ", and not negative [Op:GatherNd]");
  }
  for (int i = 0; i < batch_dims; ++i) {
    check_batch(params, indices, i, "GatherNd");
  }
  if (batch_dims == 0 && known_elements(params) == 0 && count_rows(indices) > 0) {
    invalid_argument("Requested more than 0 entries, but params is empty. Params shape: ", params,
                     " [Op:GatherNd]");
  }
  if (indices.back() > params.rank() - batch_dims) {
    invalid_argument("index innermost dimension length must be <= params rank; saw: ",
                     indices.back(), " vs. ", params.rank() - batch_dims, " [Op:GatherNd]");
  }
}

// The shape of the slices that rows of indices select.
Shape sliced_shape(const Shape& params, const Shape& indices, int64_t batch_dims) {
  if (!params.ranked() || !indices.ranked() || indices.back() < 0) [[unlikely]]
    return Shape::unranked();
  Shape result;
  for (int i = 0; i + 1 < indices.rank(); ++i) result.push_back(indices[i]);
  for (int i = static_cast<int>(batch_dims + indices.back()); i < params.rank(); ++i) {
    result.push_back(params[i]);
  }
  return result;
}

void check_updates(const Shape& shape, const Shape& indices, const Shape& updates, const char* op) {
  if (!may_have_rank_from(shape, 1))
    invalid_argument("Output must be at least 1-D, got ", shape, " [Op:", op, "]");
  if (!may_have_rank_from(indices, 1)) {
    invalid_argument("Indices shape must have rank at least one. Found:", indices, " [Op:", op,
                     "]");
  }
  if (known_elements(shape) == 0 && (known_elements(indices) > 0 || known_elements(updates) > 0)) {
    invalid_argument("Indices and updates specified for empty output shape ", shape, " [Op:", op,
                     "]");
  }
  if (indices.ranked() && shape.ranked() && indices.back() > shape.rank()) {
    invalid_argument("The inner dimension of indices (", indices.back(),
                     ") must not exceed the rank of shape ", shape, " [Op:", op, "]");
  }
  const Shape expected = sliced_shape(shape, indices, 0);
  // One update for each row of indices, whatever the shape of the slices.
  bool fits = compatible(updates, expected);
  if (fits && !expected.ranked() && indices.ranked()) {
    Shape rows = indices;
    rows.erase(rows.rank() - 1);
    fits = may_start_with(updates, rows);
  }
  if (!fits) {
    invalid_argument("Dimensions of updates ", updates, " do not fit indices ", indices,
                     " into shape ", shape, ": expected ", expected, " [Op:", op, "]");
  }
}

void tensor_scatter_infer(InferContext& c) {
  check_updates(c.shape(0), c.shape(1), c.shape(2), c.op().tf_name);
  c.add_output(c.dtype(0), c.shape(0));
}

Tensor picked(GradContext& g, const Tensor& from) {
  return call(gather_nd, {from, g.input(1)}, GatherNdAttrs{});
}

// The element and the updates that equal the extremum share the gradient.
void scatter_extremum_gradient(GradContext& g) {
  const Tensor& result = g.output(0);
  const Tensor dy = g.dy();
  const Tensor kept = cast_to(call(equal, {g.input(0), result}), dy.dtype());
  const Tensor placed = cast_to(call(equal, {g.input(2), picked(g, result)}), dy.dtype());
  const Tensor count = call(tensor_scatter_nd_add, {kept, g.input(1), placed});
  const Tensor share = call(divide_no_nan, {dy, count});
  if (g.wants(0)) g.set(0, kept * share);
  if (g.wants(2)) g.set(2, placed * picked(g, share));
}

// The slices of `from` at updated indices, with zeros for updates that later ones replaced.
Tensor picked_last(GradContext& g, const Tensor& from) {
  const Tensor& indices = g.input(1);
  const Tensor slices = picked(g, from);
  const Ints outer = first_of(sizes_of(from), sizes_of(indices).back());
  return only_last(slices, indices, Shape(std::span<const int64_t>(outer)));
}

std::vector<InputSpec> scatter_inputs(DTypeSet types) {
  return {{.name = "tensor", .dtypes = types, .no_kernel = kStoredTypes},
          {"indices", kIndexTypes, "Tindices"},
          {"updates", types}};
}

}  // namespace

bool gathers_rows(AttrsRef gather, const Shape& params, const Shape& indices) {
  if (gather.is<GatherNdAttrs>()) {
    return gather.as<GatherNdAttrs>().batch_dims == 0 && indices.ranked() && indices.rank() == 2 &&
           indices[1] == 1;
  }
  const auto& attrs = gather.as<GatherAttrs>();
  if (attrs.axis == 0 && attrs.batch_dims == 0) return true;
  if (!params.ranked() || !has_elements(params.dims()) || !indices.ranked()) return false;
  const auto [axis, batch_dims] = gather_axes(attrs, params.rank(), indices.rank());
  return axis == 0 && batch_dims == 0;
}

Tensor only_last(const Tensor& slices, const Tensor& indices, const Shape& outer) {
  const Shape rows = without_last(sizes_of(indices), 1);
  const int64_t count = element_count(rows);
  if (count <= 1 && rows.fully_known()) return slices;
  const DType dtype = count <= std::numeric_limits<int32_t>::max() ? DType::kInt32 : DType::kInt64;
  const auto number = [&](int64_t n) { return scalar_of(dtype, n); };
  const Tensor ids = reshape_to(call(range, {number(0), number(count), number(1)}), rows);
  const Tensor last = call(tensor_scatter_nd_max, {ef::zeros(dtype, outer), indices, ids});
  const Tensor wins = call(equal, {call(gather_nd, {last, indices}, GatherNdAttrs{}), ids});
  Shape spread = rows;
  for (int i = rows.rank(); i < slices.rank(); ++i) spread.push_back(1);
  return ef::select(reshape_to(wins, spread), slices, ef::zeros(slices.dtype(), {}));
}

const Op gather{{
    .name = "gather",
    .tf_name = "GatherV2",
    .inputs = {{"params", kMovedTypes | kQuantizedTypes | kFloat8Types},
               {"indices", kIndexTypes, "Tindices"}},
    .attrs = attrs_of<GatherAttrs>(),
    .tensor_attrs = {{"axis", "Taxis"}},
    .infer = gather_infer,
    .kernel = cpu::gather,
    .gradient = gather_gradient,
    .needs = {{.inputs = 2}, {}},
    .sizes = {.inputs = 1},
    .may_be_unknown = Unknown::kRanks,
    .doc = "Slices along an axis, at given indices.",
}};

const Op gather_grad{{
    .name = "gather_grad",
    .tf_name = "GatherGrad",
    .inputs = {{"dy", kNumericTypes}, {"indices", kIndexTypes, "Tindices"}},
    .attrs = attrs_of<GatherGradAttrs>(),
    .infer =
        [](InferContext& c) {
          const GatherGradAttrs& attrs = c.attrs<GatherGradAttrs>();
          const Shape shape = shape_of_sizes(attrs.shape, c.op().tf_name);
          check_taken(c, gathered_shape(shape, c.shape(1), attrs.gather));
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::gather_grad,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(gather, {g.dy(), g.input(1)}, g.attrs<GatherGradAttrs>().gather));
        },
    .needs = {{.inputs = 2}, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The gradient of gather: adds slices at the indices they came from.",
}};

const Op gather_or_zero{{
    .name = "gather_or_zero",
    .tf_name = "GatherOrZero",
    .inputs = {{.name = "params", .dtypes = kPlainTypes, .no_kernel = kStoredTypes},
               {"indices", kIndexTypes, "Tindices"}},
    .infer =
        [](InferContext& c) {
          if (!may_have_rank_from(c.shape(0), 1)) {
            invalid_argument("params must have rows [Op:GatherOrZero]");
          }
          c.add_output(c.dtype(0), joined(c.shape(1), without_first(c.shape(0), 1)));
        },
    .kernel = cpu::gather_or_zero,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(unsorted_segment_sum, {g.dy(), g.input(1)},
                        UnsortedSegmentAttrs{.num_segments = g.input_shape(0)[0]}));
        },
    .needs = {{.inputs = 2}, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "Rows at given indices; zeros for negative ones.",
}};

const Op gather_nd{{
    .name = "gather_nd",
    .tf_name = "GatherNd",
    .inputs = {{"params", kMovedTypes | kSlicedTypes}, {"indices", kIndexTypes, "Tindices"}},
    .attrs = attrs_of<GatherNdAttrs>(),
    .infer =
        [](InferContext& c) {
          const int64_t batch_dims = c.attrs<GatherNdAttrs>().batch_dims;
          gather_nd_check(c.shape(0), c.shape(1), batch_dims);
          c.add_output(c.dtype(0), sliced_shape(c.shape(0), c.shape(1), batch_dims));
        },
    .kernel = cpu::gather_nd,
    .gradient = gather_nd_gradient,
    .needs = {{.inputs = 2}, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The slices that rows of indices select.",
}};

const Op gather_nd_grad{{
    .name = "gather_nd_grad",
    .tf_name = "GatherNdGrad",
    .inputs = {{"dy", kNumericTypes}, {"indices", kIndexTypes, "Tindices"}},
    .attrs = attrs_of<GatherNdGradAttrs>(),
    .infer =
        [](InferContext& c) {
          const GatherNdGradAttrs& attrs = c.attrs<GatherNdGradAttrs>();
          const Shape shape = shape_of_sizes(attrs.shape, c.op().tf_name);
          gather_nd_check(shape, c.shape(1), attrs.gather.batch_dims);
          check_taken(c, sliced_shape(shape, c.shape(1), attrs.gather.batch_dims));
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::gather_nd_grad,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(gather_nd, {g.dy(), g.input(1)}, g.attrs<GatherNdGradAttrs>().gather));
        },
    .needs = {{.inputs = 2}, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The gradient of gather_nd: adds slices at the indices they came from.",
}};

const Op scatter_nd{{
    .name = "scatter_nd",
    .tf_name = "ScatterNd",
    .inputs = {{.name = "indices",
                .dtypes = kIndexTypes,
                .type = "Tindices",
                .no_kernel = {DType::kInt16}},
               {.name = "updates", .dtypes = kNumericTypes, .no_kernel = kStoredTypes}},
    .attrs = attrs_of<ScatterNdAttrs>(),
    .tensor_attrs = {{"shape", "Tindices"}},
    .infer =
        [](InferContext& c) {
          const Shape shape = shape_of_sizes(c.attrs<ScatterNdAttrs>().shape, "ScatterNd");
          check_updates(shape, c.shape(0), c.shape(1), "ScatterNd");
          c.add_output(c.dtype(1), shape);
        },
    .kernel = cpu::scatter_nd,
    .gradient =
        [](GradContext& g) { g.set(1, call(gather_nd, {g.dy(), g.input(0)}, GatherNdAttrs{})); },
    .needs = {{}, {.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "Zeros, with updates added to the slices that rows of indices select.",
}};

const Op tensor_scatter_nd_update{{
    .name = "tensor_scatter_nd_update",
    .tf_name = "TensorScatterUpdate",
    .inputs = scatter_inputs(kAllTypes),
    .infer = tensor_scatter_infer,
    .kernel = cpu::tensor_scatter_nd_update,
    .gradient =
        [](GradContext& g) {
          if (g.wants(2)) g.set(2, picked_last(g, g.dy()));
          if (g.wants(0)) {
            const Shape updates = g.input_shape(2);
            g.set(0, call(tensor_scatter_nd_update,
                          {g.dy(), g.input(1), ef::zeros(g.input_dtype(0), updates)}));
          }
        },
    .needs = {{.inputs = 2}, {}, {.inputs = 2}},
    .may_be_unknown = Unknown::kSizes,
    .changes_first = true,
    .doc = R"(A copy of a tensor with slices replaced.

>>> tf.tensor_scatter_nd_update([1, 2, 3], [[1]], [9]).numpy()
array([1, 9, 3], dtype=int32)
)",
}};

const Op tensor_scatter_nd_add{{
    .name = "tensor_scatter_nd_add",
    .tf_name = "TensorScatterAdd",
    .inputs = scatter_inputs(kNumericTypes),
    .infer = tensor_scatter_infer,
    .kernel = cpu::tensor_scatter_nd_add,
    .gradient =
        [](GradContext& g) {
          g.set(0, g.dy());
          if (g.wants(2)) g.set(2, picked(g, g.dy()));
        },
    .needs = {{}, {}, {.inputs = 2}},
    .may_be_unknown = Unknown::kRanks,
    .changes_first = true,
    .doc = R"(A copy of a tensor with updates added to slices.

>>> tf.tensor_scatter_nd_add([1, 2, 3], [[1], [1]], [9, 1]).numpy()
array([ 1, 12,  3], dtype=int32)
)",
}};

const Op tensor_scatter_nd_sub{{
    .name = "tensor_scatter_nd_sub",
    .tf_name = "TensorScatterSub",
    .inputs = scatter_inputs(kNumericTypes),
    .infer = tensor_scatter_infer,
    .kernel = cpu::tensor_scatter_nd_sub,
    .gradient =
        [](GradContext& g) {
          g.set(0, g.dy());
          if (g.wants(2)) g.set(2, -picked(g, g.dy()));
        },
    .needs = {{}, {}, {.inputs = 2}},
    .may_be_unknown = Unknown::kRanks,
    .changes_first = true,
    .doc = "A copy of a tensor with updates subtracted from slices.",
}};

const Op tensor_scatter_nd_max{{
    .name = "tensor_scatter_nd_max",
    .tf_name = "TensorScatterMax",
    .inputs = scatter_inputs(kRealTypes),
    .infer = tensor_scatter_infer,
    .kernel = cpu::tensor_scatter_nd_max,
    .gradient = scatter_extremum_gradient,
    .needs = {{.inputs = 7, .outputs = 1}, {}, {.inputs = 7, .outputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .changes_first = true,
    .doc = "A copy of a tensor where slices are at least the updates.",
}};

const Op tensor_scatter_nd_min{{
    .name = "tensor_scatter_nd_min",
    .tf_name = "TensorScatterMin",
    .inputs = scatter_inputs(kRealTypes),
    .infer = tensor_scatter_infer,
    .kernel = cpu::tensor_scatter_nd_min,
    .gradient = scatter_extremum_gradient,
    .needs = {{.inputs = 7, .outputs = 1}, {}, {.inputs = 7, .outputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .changes_first = true,
    .doc = "A copy of a tensor where slices are at most the updates.",
}};

const Op unsorted_segment_sum{{
    .name = "unsorted_segment_sum",
    .tf_name = "UnsortedSegmentSum",
    .inputs = {{.name = "data", .dtypes = kNumericTypes, .no_kernel = kQuantizedTypes},
               {"segment_ids", kIndexTypes, "Tindices"}},
    .attrs = attrs_of<UnsortedSegmentAttrs>(),
    .tensor_attrs = {{"num_segments", "Tnumsegments"}},
    .infer =
        [](InferContext& c) {
          const Shape& data = c.shape(0);
          const Shape& ids = c.shape(1);
          if (!may_start_with(data, ids)) {
            invalid_argument("data.shape = ", data,
                             " does not start with segment_ids.shape = ", ids,
                             " [Op:UnsortedSegmentSum]");
          }
          const int64_t segments = c.attrs<UnsortedSegmentAttrs>().num_segments;
          if (segments < 0 && segments != kUnknownInt) {
            invalid_argument("Input num_segments == ", segments,
                             " must not be negative. [Op:UnsortedSegmentSum]");
          }
          const Shape whole = ids.ranked() ? data : Shape::unranked();
          c.add_output(c.dtype(0),
                       joined({size_or_unknown(segments)}, without_first(whole, ids.rank())));
        },
    .kernel = cpu::unsorted_segment_sum,
    .gradient = [](GradContext& g) { g.set(0, call(gather_or_zero, {g.dy(), g.input(1)})); },
    .needs = {{.inputs = 2}, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = R"(Sums the rows of `data` that belong to the same segment.

Takes numbers, and integer `segment_ids` of the shape of the first axes of `data`: the segment of
each row. Rows of negative segments are left out; segments without rows are 0.

Raises InvalidArgumentError if an id is too large or shapes do not fit.

>>> tf.math.unsorted_segment_sum([1.0, 2.0, 4.0], [0, 1, 0], 2).numpy()
array([5., 2.], dtype=float32)
)",
}};

}  // namespace ef::ops
