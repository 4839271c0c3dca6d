// Reductions over axes and cumulative sums: inference and gradients.
#include "ops/reduction.h"

#include "kernels/cpu/reduction.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

// The shape after a reduction where the rank or the axes are unknown.
Shape partly_reduced(const Shape& shape, const std::optional<Ints>& axis, bool keep) {
  if (!axis && !keep) return {};
  if (!shape.ranked()) return shape;
  if (keep) return Shape::of_rank(shape.rank());
  const auto fewer = static_cast<int>(axis->size());
  return axis->is_unknown() || fewer > shape.rank() ? Shape::unranked()
                                                    : Shape::of_rank(shape.rank() - fewer);
}

[[gnu::hot]] void reduce_infer(InferContext& c) {
  const auto& [axis, keepdims] = c.attrs<ReduceAttrs>();
  if (!c.shape(0).ranked() || (axis && !axis->fully_known())) [[unlikely]] {
    c.add_output(c.dtype(0), partly_reduced(c.shape(0), axis, keepdims));
    return;
  }
  c.add_output(c.dtype(0), reduced_shape(c.shape(0), axis, keepdims, c.op().tf_name));
}

// A gradient or result that broadcasts against the reduced input, as a scalar does.
Tensor expanded(GradContext& g, const Tensor& t) {
  if (t.shape().ranked() && t.rank() == 0) return t;
  return reshape_to(t, kept_shape(g.input_shape(0), g.attrs<ReduceAttrs>().axis, "Reduction"));
}

void sum_gradient(GradContext& g) {
  g.set(0, broadcast_to_shape(expanded(g, g.dy()), g.input_shape(0)));
}

void mean_gradient(GradContext& g) {
  const int64_t outputs = largest_of(element_count(g.output_shape(0)), 1);
  const int64_t count = largest_of(quotient_of(element_count(g.input_shape(0)), outputs), 1);
  const Tensor dy = g.dy() / scalar_of(g.input_dtype(0), count);
  g.set(0, broadcast_to_shape(expanded(g, dy), g.input_shape(0)));
}

// Elements that equal the result share the gradient.
void extremum_gradient(GradContext& g) {
  const Tensor& x = g.input(0);
  const Tensor hits = cast_to(call(equal, {x, expanded(g, g.output(0))}), x.dtype());
  const Tensor count =
      call(reduce_sum, {hits}, ReduceAttrs{.axis = g.attrs<ReduceAttrs>().axis, .keepdims = true});
  g.set(0, hits / count * expanded(g, g.dy()));
}

Tensor running_product(const Tensor& x, bool reverse) {
  return call(cumprod, {x}, ScanAttrs{.axis = -1, .exclusive = true, .reverse = reverse});
}

// The product of all other elements is the product of earlier ones times that of later ones, which
// is exact even with zeros.
void product_gradient(GradContext& g) {
  const Shape& shape = g.input_shape(0);
  const auto& axis = g.attrs<ReduceAttrs>().axis;
  const Ints order = reduced_last(shape, axis, "Prod");
  const Tensor moved = permute(g.input(0), order);
  const int64_t outputs = element_count(kept_shape(shape, axis, "Prod"));
  const int64_t count = quotient_of(element_count(shape), largest_of(outputs, 1));
  const Tensor rows = reshape_to(moved, {outputs, count});
  Tensor others = running_product(rows, false) * running_product(rows, true);
  others = permute(reshape_to(others, sizes_of(moved)), inverse_permutation(order));
  g.set(0, conjugate(others) * expanded(g, g.dy()));
}

void arg_infer(InferContext& c) {
  const Shape& shape = c.shape(0);
  const ArgExtremumAttrs& attrs = c.attrs<ArgExtremumAttrs>();
  const int64_t given = attrs.axis.value_or(0);
  const bool somewhere = !shape.ranked() || given == kUnknownInt;
  if (!somewhere && (given < -shape.rank() || given >= shape.rank())) {
    invalid_argument("Expected dimension in the range [", -shape.rank(), ", ", shape.rank(),
                     "), but got ", given, " [Op:", c.op().tf_name, "]");
  }
  const int axis = static_cast<int>(given < 0 ? given + shape.rank() : given);
  if (!somewhere && shape[axis] == 0) {
    invalid_argument("Reduction axis ", given, " is empty in shape ", shape,
                     " [Op:", c.op().tf_name, "]");
  }
  const DType type = attrs.output_type;
  if (!(kIndexTypes | DTypeSet{DType::kInt16, DType::kUint16}).contains(type)) {
    invalid_argument("Indices of dtype ", type, " are not available [Op:", c.op().tf_name, "]");
  }
  Shape result = shape;
  if (!somewhere) {
    result.erase(axis);
  } else if (shape.rank() > 0) {
    result = Shape::of_rank(shape.rank() - 1);
  }
  c.add_output(type, result);
}

void scan_infer(InferContext& c) {
  const Shape& shape = c.shape(0);
  const int64_t axis = c.attrs<ScanAttrs>().axis;
  if ((axis < -shape.rank() || axis >= shape.rank()) && shape.ranked() && axis != kUnknownInt) {
    invalid_argument(c.op().tf_name, ": Expected scan axis in the range [", -shape.rank(), ", ",
                     shape.rank(), "), but got ", axis, " [Op:", c.op().tf_name, "]");
  }
  c.add_output(c.dtype(0), shape);
}

ScanAttrs opposite(ScanAttrs attrs) {
  attrs.reverse = !attrs.reverse;
  return attrs;
}

// Elements shifted by one in the order of a scan, with 0 at its start.
Tensor delayed(const Tensor& x, int64_t axis, bool reverse) {
  const int rank = x.rank();
  const int64_t at = axis < 0 ? axis + rank : axis;
  Ints paddings;
  StridedSliceAttrs cut;
  for (int i = 0; i < rank; ++i) {
    const bool along = i == at;
    paddings.push_back(along && !reverse ? 1 : 0);
    paddings.push_back(along && reverse ? 1 : 0);
    cut.begin.push_back(along && reverse ? 1 : 0);
    cut.end.push_back(-1);
    cut.strides.push_back(1);
    if (!along || reverse) cut.end_mask |= int64_t{1} << i;
  }
  return call(strided_slice, {call(pad, {x}, PadAttrs{.paddings = paddings})}, cut);
}

// The derivative of all products that contain x[j] is the product of the earlier elements, times
// the sum over k of dy[k] and the elements between j and k. That sum is computed from the sum of
// the next element, so there is no division by x[j], which may be 0.
void running_product_gradient(GradContext& g) {
  const auto& [axis, exclusive, reverse] = g.attrs<ScanAttrs>();
  const Tensor x = conjugate(g.input(0));
  const Tensor before =
      call(cumprod, {x}, ScanAttrs{.axis = axis, .exclusive = true, .reverse = reverse});
  Tensor after = call(linear_scan, {x, g.dy()},
                      LinearScanAttrs{.axis = axis, .reverse = !reverse, .previous = !exclusive});
  if (exclusive) after = delayed(after, axis, !reverse);
  g.set(0, before * after);
}

void linear_scan_gradient(GradContext& g) {
  auto attrs = g.attrs<LinearScanAttrs>();
  const bool reverse = attrs.reverse;
  attrs.reverse = !attrs.reverse;
  attrs.previous = !attrs.previous;
  const Tensor by_terms = call(linear_scan, {conjugate(g.input(0)), g.dy()}, attrs);
  g.set(1, by_terms);
  if (!g.wants(0)) return;
  const Tensor h = conjugate(g.output(0));
  g.set(0, attrs.previous ? by_terms * delayed(h, attrs.axis, reverse)
                          : delayed(by_terms, attrs.axis, !reverse) * h);
}

}  // namespace

const Op reduce_sum{{
    .name = "reduce_sum",
    .tf_name = "Sum",
    .inputs = {{.name = "input_tensor", .dtypes = kNumericTypes, .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ReduceAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = reduce_infer,
    .kernel = cpu::reduce_sum,
    .gradient = sum_gradient,
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .takes_lazy = true,
    .doc = R"(The sum of elements along axes.

Takes a number tensor; `axis` is an integer, a list of them (negative ones count from the end), or
None for all. With `keepdims` the summed axes stay, with size 1. Empty sums are 0.

Raises InvalidArgumentError for an axis out of range.

>>> tf.reduce_sum([[1, 2], [3, 4]], axis=0).numpy()
array([4, 6], dtype=int32)
)",
}};

const Op reduce_mean{{
    .name = "reduce_mean",
    .tf_name = "Mean",
    .inputs = {{.name = "input_tensor", .dtypes = kNumericTypes, .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ReduceAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = reduce_infer,
    .kernel = cpu::reduce_mean,
    .gradient = mean_gradient,
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .takes_lazy = true,
    .doc = R"(The mean of elements along axes.

Arguments as in `tf.reduce_sum`. The dtype stays: means of integers are cut to integers. Empty
means of floats are NaN.

>>> tf.reduce_mean([[1.0, 2.0], [3.0, 4.0]], axis=1).numpy()
array([1.5, 3.5], dtype=float32)
)",
}};

const Op reduce_prod{{
    .name = "reduce_prod",
    .tf_name = "Prod",
    .inputs = {{.name = "input_tensor", .dtypes = kNumericTypes, .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ReduceAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = reduce_infer,
    .kernel = cpu::reduce_prod,
    .gradient = product_gradient,
    .needs = {{.inputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .doc = R"(The product of elements along axes; arguments as in `tf.reduce_sum`.

>>> tf.reduce_prod([[1, 2], [3, 4]], axis=1).numpy()
array([ 2, 12], dtype=int32)
)",
}};

const Op reduce_max{{
    .name = "reduce_max",
    .tf_name = "Max",
    .inputs = {{.name = "input_tensor", .dtypes = kRealTypes, .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ReduceAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = reduce_infer,
    .kernel = cpu::reduce_max,
    .gradient = extremum_gradient,
    .needs = {{.inputs = 1, .outputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .takes_lazy = true,
    .doc = R"(The largest element along axes; arguments as in `tf.reduce_sum`. NaN wins.

>>> tf.reduce_max([[1, 2], [3, 4]], axis=1).numpy()
array([2, 4], dtype=int32)
)",
}};

const Op reduce_min{{
    .name = "reduce_min",
    .tf_name = "Min",
    .inputs = {{.name = "input_tensor", .dtypes = kRealTypes, .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ReduceAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = reduce_infer,
    .kernel = cpu::reduce_min,
    .gradient = extremum_gradient,
    .needs = {{.inputs = 1, .outputs = 1}},
    .may_be_unknown = Unknown::kRanks,
    .promotion = Promotion::kWeak,
    .takes_lazy = true,
    .doc = R"(The smallest element along axes; arguments as in `tf.reduce_sum`. NaN wins.

>>> tf.reduce_min([[1, 2], [3, 4]], axis=1).numpy()
array([1, 3], dtype=int32)
)",
}};

const Op reduce_all{{
    .name = "reduce_all",
    .tf_name = "All",
    .inputs = {{"input_tensor", kBoolType}},
    .attrs = attrs_of<ReduceAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = reduce_infer,
    .kernel = cpu::reduce_all,
    .takes_lazy = true,
    .doc = R"(Whether all elements along axes are true; arguments as in `tf.reduce_sum`.

>>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy().tolist()
[False, True]
)",
}};

const Op reduce_any{{
    .name = "reduce_any",
    .tf_name = "Any",
    .inputs = {{"input_tensor", kBoolType}},
    .attrs = attrs_of<ReduceAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = reduce_infer,
    .kernel = cpu::reduce_any,
    .takes_lazy = true,
    .doc = R"(Whether any element along axes is true; arguments as in `tf.reduce_sum`.

>>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy().tolist()
[True, False]
)",
}};

const Op argmax{{
    .name = "argmax",
    .tf_name = "ArgMax",
    .inputs = {{.name = "input", .dtypes = kRealTypes | kBoolType, .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ArgExtremumAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = arg_infer,
    .kernel = cpu::argmax,
    .doc = R"(Where the largest element along an axis is: the first of equals.

`axis` is 0 if not given; `output_type` an integer dtype. Raises InvalidArgumentError if the axis is
empty or out of range.

>>> tf.argmax([[1, 5, 2], [7, 0, 7]], axis=1).numpy()
array([1, 0])
)",
}};

const Op argmin{{
    .name = "argmin",
    .tf_name = "ArgMin",
    .inputs = {{.name = "input", .dtypes = kRealTypes | kBoolType, .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ArgExtremumAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = arg_infer,
    .kernel = cpu::argmin,
    .doc = R"(Where the smallest element along an axis is: the first of equals.

>>> tf.argmin([[1, 5, 2], [7, 0, 7]], axis=1).numpy()
array([0, 1])
)",
}};

const Op cumsum{{
    .name = "cumsum",
    .tf_name = "Cumsum",
    .inputs = {{.name = "x",
                .dtypes = kNumericTypes,
                .converts = Converts::kAlone,
                .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ScanAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = scan_infer,
    .kernel = cpu::cumsum,
    .gradient =
        [](GradContext& g) { g.set(0, call(cumsum, {g.dy()}, opposite(g.attrs<ScanAttrs>()))); },
    .may_be_unknown = Unknown::kRanks,
    .doc = R"(Running sums along an axis.

`exclusive` leaves each element's own value out; `reverse` starts at the end.

>>> tf.cumsum([1, 2, 3]).numpy()
array([1, 3, 6], dtype=int32)
)",
}};

const Op cumprod{{
    .name = "cumprod",
    .tf_name = "Cumprod",
    .inputs = {{.name = "x",
                .dtypes = kNumericTypes,
                .converts = Converts::kAlone,
                .no_kernel = kQuantizedTypes}},
    .attrs = attrs_of<ScanAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = scan_infer,
    .kernel = cpu::cumprod,
    .gradient = running_product_gradient,
    .needs = {{.inputs = 1}},
    .may_be_unknown = Unknown::kSizes,
    .doc = R"(Running products along an axis; arguments as in `tf.cumsum`.

>>> tf.math.cumprod([1, 2, 3]).numpy()
array([1, 2, 6], dtype=int32)
)",
}};

const Op linear_scan{{
    .name = "linear_scan",
    .tf_name = "LinearScan",
    .inputs = {{"coefficients", kInexactTypes}, {"terms", kInexactTypes}},
    .attrs = attrs_of<LinearScanAttrs>(),
    .infer =
        [](InferContext& c) {
          if (!may_equal(c.shape(0), c.shape(1))) {
            invalid_argument("coefficients and terms must have one shape, got ", c.shape(0),
                             " and ", c.shape(1), " [Op:LinearScan]");
          }
          const Shape& shape = c.shape(1);
          const int64_t axis = c.attrs<LinearScanAttrs>().axis;
          if (shape.ranked() && (axis < -shape.rank() || axis >= shape.rank())) {
            invalid_argument("Expected scan axis in the range [", -shape.rank(), ", ", shape.rank(),
                             "), but got ", axis, " [Op:LinearScan]");
          }
          c.add_output(c.dtype(1), merged(c.shape(0), shape));
        },
    .kernel = cpu::linear_scan,
    .gradient = linear_scan_gradient,
    .needs = {{.inputs = 1, .outputs = 1}, {.inputs = 1}},
    .may_be_unknown = Unknown::kSizes,
    .doc = R"(The recurrence h[k] = terms[k] + coefficients[k] h[k - 1] along an axis.

`reverse` starts at the end; with `previous` the coefficient is that of the element before k.

>>> from eagerflow._core import ops
>>> ops.linear_scan([2.0, 3.0, 0.0], [1.0, 1.0, 1.0]).numpy()
array([1., 4., 1.], dtype=float32)
)",
}};

}  // namespace ef::ops
