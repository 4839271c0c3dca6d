// Joining and splitting tensors: inference and gradients.
#include "kernels/cpu/array.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

// Normalises an axis among `rank`; errors of stack and unstack are Python errors in TensorFlow.
int python_axis(int64_t axis, int rank, const char* op) {
  if (axis < -rank || axis >= rank) {
    fail(Code::kValueError, "Argument `axis` = ", axis, " not in range [", -rank, ", ", rank,
         ") [Op:", op, "]");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The first shape of known rank, or the first shape.
const Shape& first_ranked(const InferContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.shape(i).ranked()) return c.shape(i);
  }
  return c.shape(0);
}

[[gnu::hot]] void concat_infer(InferContext& c) {
  const Shape& first = first_ranked(c);
  if (!first.ranked()) [[unlikely]] {
    c.add_output(c.dtype(0), first);
    return;
  }
  if (first.rank() == 0) {
    invalid_argument("ConcatOp : Expected concatenating dimensions in the range [0, 0), but got ",
                     c.attrs<ConcatAttrs>().axis, " [Op:ConcatV2]");
  }
  const int64_t given = c.attrs<ConcatAttrs>().axis;
  const bool somewhere = given == kUnknownInt;
  if (!somewhere && (given < -first.rank() || given >= first.rank())) {
    invalid_argument("ConcatOp : Expected concatenating dimensions in the range [", -first.rank(),
                     ", ", first.rank(), "), but got ", given, " [Op:ConcatV2]");
  }
  const int axis = static_cast<int>(somewhere ? -1 : given < 0 ? given + first.rank() : given);
  Shape result = somewhere ? Shape::of_rank(first.rank()) : first;
  if (!somewhere) result[axis] = 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& shape = c.shape(i);
    if (!shape.ranked()) [[unlikely]] {
      if (!somewhere) result[axis] = kUnknownSize;
      continue;
    }
    if (shape.rank() != first.rank()) {
      invalid_argument("ConcatOp : Ranks of all input tensors should match: shape[0] = ", first,
                       " vs. shape[", i, "] = ", shape, " [Op:ConcatV2]");
    }
    if (somewhere) [[unlikely]]
      continue;
    for (int k = 0; k < first.rank(); ++k) {
      if (k == axis) {
        result[k] = size_sum(result[k], shape[k]);
      } else if (compatible(shape[k], result[k])) {
        result[k] = merged(result[k], shape[k]);
      } else {
        invalid_argument("ConcatOp : Dimension ", k,
                         " in both shapes must be equal: shape[0] = ", first, " vs. shape[", i,
                         "] = ", shape, " [Op:ConcatV2]");
      }
    }
  }
  c.add_output(c.dtype(0), result);
}

void concat_gradient(GradContext& g) {
  const int64_t axis = g.attrs<ConcatAttrs>().axis;
  Ints sizes;
  for (int i = 0; i < g.num_inputs(); ++i) {
    sizes.push_back(element_of(g.input_shape(i).dims(), axis));
  }
  TensorList parts;
  const Tensor dy = g.dy();
  run(split, {&dy, 1}, SplitAttrs{.size_splits = sizes, .axis = axis}, parts);
  for (int i = 0; i < g.num_inputs(); ++i) g.set(i, parts[static_cast<size_t>(i)]);
}

[[gnu::hot]] void stack_infer(InferContext& c) {
  Shape result = c.shape(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.shape(i) == result) continue;
    if (!compatible(c.shape(i), result)) {
      invalid_argument("Shapes of all inputs must match: values[0].shape = ", result, " != values[",
                       i, "].shape = ", c.shape(i), " [Op:Pack]");
    }
    result = merged(result, c.shape(i));
  }
  if (!result.ranked()) [[unlikely]] {
    c.add_output(c.dtype(0), result);
    return;
  }
  const int axis = python_axis(c.attrs<StackAttrs>().axis, result.rank() + 1, "Pack");
  result.insert(axis, c.num_inputs());
  c.add_output(c.dtype(0), result);
}

void stack_gradient(GradContext& g) {
  const UnstackAttrs attrs{.num = g.num_inputs(), .axis = g.attrs<StackAttrs>().axis};
  TensorList parts;
  const Tensor dy = g.dy();
  run(unstack, {&dy, 1}, attrs, parts);
  for (int i = 0; i < g.num_inputs(); ++i) g.set(i, parts[static_cast<size_t>(i)]);
}

void unstack_infer(InferContext& c) {
  const Shape& shape = c.shape(0);
  const UnstackAttrs& attrs = c.attrs<UnstackAttrs>();
  const bool given = attrs.num.has_value();
  if (!shape.ranked() && given) [[unlikely]] {
    return add_outputs(c, *attrs.num, shape);
  }
  const int axis = shape.ranked() ? python_axis(attrs.axis, shape.rank(), "Unpack") : 0;
  if (!given && (!shape.ranked() || shape[axis] < 0)) {
    fail(Code::kValueError, "Cannot infer argument `num` from shape ", shape,
         ": say how many tensors to unpack [Op:Unpack]");
  }
  if (given && !compatible(*attrs.num, shape[axis])) {
    invalid_argument("Input shape axis ", axis, " must equal ", *attrs.num, ", got shape ", shape,
                     " [Op:Unpack]");
  }
  Shape result = shape;
  result.erase(axis);
  add_outputs(c, given ? *attrs.num : shape[axis], result);
}

void unstack_gradient(GradContext& g) {
  InlineVector<Tensor, 8> parts;
  for (int j = 0; j < g.num_outputs(); ++j) parts.push_back(g.dy(j));
  if (parts.empty()) return;
  g.set(0, call(stack, parts, StackAttrs{.axis = g.attrs<UnstackAttrs>().axis}));
}

void split_infer(InferContext& c) {
  const Shape& shape = c.shape(0);
  const SplitAttrs& attrs = c.attrs<SplitAttrs>();
  if (attrs.size_splits.is_unknown()) {
    fail(Code::kValueError, "Cannot infer argument `num` from a list of sizes of unknown length ",
         "[Op:SplitV]");
  }
  const int axis = known_axis(attrs.axis, shape, "SplitV");
  const bool somewhere = axis < 0 || !shape.ranked();
  const int64_t length = somewhere ? kUnknownSize : shape[axis];
  int64_t total = 0;
  int64_t shares = 0;  // of the remaining size
  bool known = length >= 0;
  for (int64_t size : attrs.size_splits) {
    if (size == -1) {
      ++shares;
    } else if (size == kUnknownInt) {
      known = false;
    } else if (size < 0) {
      invalid_argument("Split size at index must be >= 0. Got: ", size, " [Op:SplitV]");
    } else if (__builtin_add_overflow(total, size, &total)) {
      total = INT64_MAX;  // more than any dimension
    }
  }
  int64_t share = kUnknownSize;
  if (known && shares > 0 && total <= length) {
    share = (length - total) / shares;
    total += share * shares;
  }
  for (int64_t size : attrs.size_splits) {
    Shape part = somewhere && shape.ranked() ? Shape::of_rank(shape.rank()) : shape;
    if (!somewhere) part[axis] = size == -1 ? share : size_or_unknown(size);
    c.add_output(c.dtype(0), part);
  }
  if (known ? total != length : length >= 0 && total > length) {
    invalid_argument(
        "Determined shape must either match input shape along split_dim exactly if "
        "fully specified, or be less than the size of the input along split_dim if "
        "not fully specified.  Got: ",
        total, " for a size of ", shape[axis], " [Op:SplitV]");
  }
}

void split_gradient(GradContext& g) {
  InlineVector<Tensor, 8> parts;
  for (int j = 0; j < g.num_outputs(); ++j) parts.push_back(g.dy(j));
  g.set(0, call(concat, parts, ConcatAttrs{.axis = g.attrs<SplitAttrs>().axis}));
}

}  // namespace

const Op concat{{
    .name = "concat",
    .tf_name = "ConcatV2",
    .inputs = {{.name = "values",
                .dtypes = kAllTypes | kQuantizedTypes | kFloat8Types,
                .variadic = true}},
    .attrs = attrs_of<ConcatAttrs>(),
    .tensor_attrs = {{"axis", "Tidx"}},
    .infer = concat_infer,
    .kernel = cpu::concat,
    .gradient = concat_gradient,
    .may_be_unknown = Unknown::kRanks,
    .doc = "Joins tensors along an axis they already have.",
}};

const Op stack{{
    .name = "stack",
    .tf_name = "Pack",
    .inputs = {{.name = "values",
                .dtypes = kMovedTypes | kQuantizedTypes | kFloat8Types,
                .variadic = true}},
    .attrs = attrs_of<StackAttrs>(),
    .infer = stack_infer,
    .kernel = cpu::stack,
    .gradient = stack_gradient,
    .may_be_unknown = Unknown::kRanks,
    .doc = "Joins tensors of one shape along a new axis.",
}};

const Op unstack{{
    .name = "unstack",
    .tf_name = "Unpack",
    .inputs = {{"value", kMovedTypes | kFloat8Types}},
    .attrs = attrs_of<UnstackAttrs>(),
    .infer = unstack_infer,
    .kernel = cpu::unstack,
    .gradient = unstack_gradient,
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .returns_list = true,
    .doc = "The slices of a tensor along an axis, without that axis.",
}};

const Op split{{
    .name = "split",
    .tf_name = "SplitV",
    .inputs = {{"value", kMovedTypes | kFloat8Types | kInt4Types | DTypeSet{DType::kQuint8}}},
    .attrs = attrs_of<SplitAttrs>(),
    .tensor_attrs = {{"size_splits", "Tlen"}, {"axis", "int32"}},
    .infer = split_infer,
    .kernel = cpu::split,
    .gradient = split_gradient,
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .returns_list = true,
    .doc = "The parts of a tensor, of given sizes along an axis.",
}};

}  // namespace ef::ops
