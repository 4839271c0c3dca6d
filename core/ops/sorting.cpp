// Searching, sorting and counting: inference and gradients.
#include "kernels/cpu/indexing.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/input_checks.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/reduction.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

void sort_infer_as(InferContext& c, DType dtype) {
  known_axis(c.attrs<SortAttrs>().axis, c.shape(0), c.op().tf_name);
  c.add_output(dtype, c.shape(0));
}

// Scatters each element's gradient along the last axis back to its original index.
Tensor send_back(const Tensor& dy, const Tensor& indices, const Shape& shape) {
  const int batch = has_elements(shape.dims()) ? shape.rank() - 1 : -1;
  return call(gather_grad, {dy, indices},
              GatherGradAttrs{.shape = shape, .gather = {.axis = batch, .batch_dims = batch}});
}

}  // namespace

const Op one_hot{{
    .name = "one_hot",
    .tf_name = "OneHot",
    .inputs = {{"indices", kIndexTypes | DTypeSet{DType::kUint8, DType::kInt8}, "Tindices"},
               {"on_value", kAllTypes},
               {"off_value", kAllTypes}},
    .attrs = attrs_of<OneHotAttrs>(),
    .tensor_attrs = {{"depth", "int32"}},
    .infer =
        [](InferContext& c) {
          const auto [depth, axis] = c.attrs<OneHotAttrs>();
          if (depth < 0 && depth != kUnknownInt) {
            invalid_argument("depth must be non-negative, got: ", depth, " [Op:OneHot]");
          }
          Shape shape = c.shape(0);
          if (axis < -1 || (axis > shape.rank() && shape.ranked())) {
            invalid_argument("Expected axis to be -1 or between [0, ", shape.rank(),
                             "].  But received: ", axis, " [Op:OneHot]");
          }
          for (int i : {1, 2}) {
            if (!may_have_rank(c.shape(i), 0)) {
              invalid_argument(i == 1 ? "on_value" : "off_value",
                               " must be a scalar, but got: ", c.shape(i), " [Op:OneHot]");
            }
          }
          if (shape.ranked()) {
            shape.insert(axis < 0 ? shape.rank() : static_cast<int>(axis), size_or_unknown(depth));
          }
          check_elements(shape, "OneHot");
          c.add_output(c.dtype(1), shape);
        },
    .kernel = cpu::one_hot,
    .doc = "Rows with `on_value` at the index and `off_value` elsewhere.",
}};

const Op where_indices{{
    .name = "where_indices",
    .tf_name = "Where",
    .inputs = {{.name = "condition", .dtypes = kPlainTypes, .no_kernel = kQuantizedTypes}},
    .infer =
        [](InferContext& c) {
          const Shape& shape = c.shape(0);
          // A graph may contain such a node as long as it does not run.
          if (!may_have_rank_from(shape, 1) && !c.symbolic()) {
            invalid_argument("condition must have at least one axis, got a scalar [Op:Where]");
          }
          c.add_output(DType::kInt64, {c.symbolic() ? kUnknownSize : 0,
                                       shape.ranked() ? shape.rank() : kUnknownSize});
        },
    .kernel = cpu::where_indices,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "The indices of the true (or nonzero) elements, one row each.",
}};

const Op searchsorted{{
    .name = "searchsorted",
    .tf_name = "SearchSorted",
    .inputs = {{"sorted_sequence", kRealTypes}, {"values", kRealTypes}},
    .attrs = attrs_of<SearchSortedAttrs>(),
    .infer =
        [](InferContext& c) {
          const Shape& a = c.shape(0);
          const Shape& b = c.shape(1);
          bool same = may_have_rank_from(a, 1) && may_have_rank_from(b, 1) &&
                      (a.rank() == b.rank() || !a.ranked() || !b.ranked());
          Shape shape = b.ranked() ? b : a.ranked() ? Shape::of_rank(a.rank()) : b;
          for (int i = 0; same && i + 1 < a.rank(); ++i) {
            same = compatible(a[i], shape[i]);
            shape[i] = merged(shape[i], a[i]);
          }
          if (!same) {
            invalid_argument("Leading dim_size of both tensors must match: ", a, " vs. ", b,
                             " [Op:SearchSorted]");
          }
          const DType type = c.attrs<SearchSortedAttrs>().output_type;
          if (!kIndexTypes.contains(type)) {
            refuse_attr("out_type", type, kIndexTypes, "SearchSorted");
          }
          c.add_output(type, shape);
        },
    .kernel = cpu::searchsorted,
    .doc = "Where values would have to be inserted to keep rows sorted.",
}};

const Op sort{{
    .name = "sort",
    .tf_name = "Sort",
    .inputs = {{"values", kRealTypes}},
    .attrs = attrs_of<SortAttrs>(),
    .infer = [](InferContext& c) { sort_infer_as(c, c.dtype(0)); },
    .kernel = cpu::sort,
    .gradient =
        [](GradContext& g) {
          const Tensor order = call(argsort, {g.input(0)}, g.attrs());
          const int rank = g.input_shape(0).rank();
          const int axis = normalize_axis(g.attrs<SortAttrs>().axis, rank, "Sort");
          Ints swap;
          for (int i = 0; i < rank; ++i) swap.push_back(i);
          std::swap(swap[static_cast<size_t>(axis)], swap[static_cast<size_t>(rank - 1)]);
          const Tensor dy = permute(g.dy(), swap);
          g.set(0, permute(send_back(dy, permute(order, swap), dy.shape()), swap));
        },
    .needs = {{.inputs = 1}},
    .doc = "Sorts along an axis; NaN comes last.",
}};

const Op argsort{{
    .name = "argsort",
    .tf_name = "ArgSort",
    .inputs = {{"values", kRealTypes}},
    .attrs = attrs_of<SortAttrs>(),
    .infer = [](InferContext& c) { sort_infer_as(c, DType::kInt32); },
    .kernel = cpu::argsort,
    .doc = "The indices that sort along an axis; equal elements keep their order.",
}};

const Op top_k{{
    .name = "top_k",
    .tf_name = "TopKV2",
    .inputs = {{"input", kRealTypes}},
    .attrs = attrs_of<TopKAttrs>(),
    .tensor_attrs = {{"k", "Tk"}},
    .infer =
        [](InferContext& c) {
          Shape shape = c.shape(0);
          const int64_t k = c.attrs<TopKAttrs>().k;
          if (!may_have_rank_from(shape, 1)) {
            invalid_argument("input must be >= 1-D, got shape ", shape, " [Op:TopKV2]");
          }
          if (k < 0 && k != kUnknownInt) {
            invalid_argument("Need k >= 0, got ", k, " [Op:TopKV2]");
          }
          if (shape.ranked() && shape.back() < k && shape.back() >= 0) {
            invalid_argument("input must have at least k columns. Had ", shape.back(), ", needed ",
                             k, " [Op:TopKV2]");
          }
          if (shape.ranked()) shape[shape.rank() - 1] = size_or_unknown(k);
          c.add_output(c.dtype(0), shape);
          c.add_output(DType::kInt32, shape);
        },
    .outputs = 2,
    .kernel = cpu::top_k,
    .gradient = [](GradContext& g) { g.set(0, send_back(g.dy(0), g.output(1), g.input_shape(0))); },
    .needs = {{.outputs = 2}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The k largest elements of each row, and where they are.",
}};

const Op unique_with_counts{{
    .name = "unique_with_counts",
    .tf_name = "UniqueWithCounts",
    .inputs = {{"x", kRealTypes | kBoolType | DTypeSet{DType::kString}}},
    .attrs = attrs_of<UniqueAttrs>(),
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(0), 1)) {
            invalid_argument("unique expects a 1D vector, got ", c.shape(0),
                             " [Op:UniqueWithCounts]");
          }
          const DType index_type = c.attrs<UniqueAttrs>().out_idx;
          if (!kIndexTypes.contains(index_type)) {
            invalid_argument("out_idx must be int32 or int64, got ", dtype_name(index_type),
                             " [Op:UniqueWithCounts]");
          }
          const Shape distinct{c.symbolic() ? kUnknownSize : 0};
          c.add_output(c.dtype(0), distinct);
          c.add_output(index_type, merged(c.shape(0), Shape::of_rank(1)));
          c.add_output(index_type, distinct);
        },
    .outputs = 3,
    .kernel = cpu::unique_with_counts,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "Distinct elements in order of appearance, each element's index among them, and counts.",
}};

}  // namespace ef::ops
