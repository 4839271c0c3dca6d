// Slices and padding: inference and gradients.
#include "ops/slicing.h"

#include <algorithm>

#include "kernels/cpu/array.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef {

// Masks have a bit for each entry.
constexpr size_t kMaxSliceSpecs = 62;

// A slice with unknown lists: they have the length of a known list.
static StridedSlice resolve_unknown_lists(const Shape& shape, ops::StridedSliceAttrs attrs) {
  Ints* const lists[] = {&attrs.begin, &attrs.end, &attrs.strides};
  const auto known = std::ranges::find_if(lists, [](Ints* list) { return !list->is_unknown(); });
  if (known == std::end(lists)) return {.axes = {}, .result = Shape::unranked()};
  for (Ints* list : lists) {
    if (!list->is_unknown()) continue;
    list->clear();
    while (list->size() < (*known)->size()) list->push_back(kUnknownInt);
  }
  return resolve_slice(shape, attrs);
}

void require_room(const Shape& value, const Shape& part) {
  const int added = part.rank() - value.rank();
  bool fits = added >= 0;
  for (int i = 0; fits && i < value.rank(); ++i) {
    fits = value[i] == 1 || value[i] == part[added + i];
  }
  if (fits) return;
  invalid_argument("Cannot broadcast input shape ", value, " into final shape ", part,
                   " [Op:ResourceStridedSliceAssign]");
}

StridedSlice resolve_slice(const Shape& shape, const ops::StridedSliceAttrs& attrs) {
  const Ints& begins = attrs.begin;
  const Ints& ends = attrs.end;
  const Ints& strides = attrs.strides;
  const auto has = [](int64_t mask, size_t i) { return ((mask >> i) & 1) != 0; };
  if (begins.is_unknown() || ends.is_unknown() || strides.is_unknown()) [[unlikely]] {
    return resolve_unknown_lists(shape, attrs);
  }
  const size_t count = begins.size();
  if (ends.size() != count || strides.size() != count || count > kMaxSliceSpecs) {
    invalid_argument("Expected begin, end, and strides to be 1D equal size tensors, but got ",
                     count, ", ", ends.size(), " and ", strides.size(), " [Op:StridedSlice]");
  }
  int named = 0;  // axes of the indices
  bool has_ellipsis = false;
  for (size_t i = 0; i < count; ++i) {
    if (has(attrs.ellipsis_mask, i)) {
      if (has_ellipsis) {
        invalid_argument("Multiple ellipses in slice spec not allowed [Op:StridedSlice]");
      }
      has_ellipsis = true;
    } else if (!has(attrs.new_axis_mask, i)) {
      ++named;
    }
  }
  if (!shape.ranked()) [[unlikely]]
    return {.axes = {}, .result = Shape::unranked()};
  if (named > 0 && shape.rank() == 0) {
    invalid_argument("Attempting to slice scalar input. [Op:StridedSlice]");
  }
  if (named > shape.rank()) {
    invalid_argument("Index out of range using input dim ", shape.rank(), "; input has only ",
                     shape.rank(), " dims [Op:StridedSlice]");
  }
  StridedSlice slice;
  int axis = 0;
  const auto whole = [&](int axes) {
    for (; axes > 0; --axes, ++axis) {
      slice.axes.push_back({0, 1, shape[axis]});
      slice.result.push_back(shape[axis]);
    }
  };
  for (size_t i = 0; i < count; ++i) {
    if (has(attrs.ellipsis_mask, i)) {
      whole(shape.rank() - named);
      continue;
    }
    if (has(attrs.new_axis_mask, i)) {
      slice.result.push_back(1);
      continue;
    }
    const int64_t size = shape[axis];
    const int64_t step = strides[i];
    if (step == 0) invalid_argument("strides[", i, "] must be non-zero [Op:StridedSlice]");
    const bool open_begin = has(attrs.begin_mask, i);
    const bool open_end = has(attrs.end_mask, i);
    const bool shrinks = has(attrs.shrink_axis_mask, i);
    if (size < 0 || begins[i] == kUnknownInt ||
        (!shrinks && (ends[i] == kUnknownInt || step == kUnknownInt))) [[unlikely]] {
      // A complete axis keeps its size, even an unknown one.
      const bool whole_axis = open_begin && open_end && (step == 1 || step == -1);
      if (!shrinks) slice.result.push_back(whole_axis ? size : kUnknownSize);
      ++axis;
      continue;
    }
    if (shrinks) {
      const int64_t index = begins[i] < 0 ? begins[i] + size : begins[i];
      if (index < 0 || index >= size) {
        invalid_argument("slice index ", index, " of dimension ", axis, " out of bounds: got ",
                         begins[i], " for a size of ", size, ". [Op:StridedSlice]");
      }
      slice.axes.push_back({index, 1, 1});
      ++axis;
      continue;
    }
    // Bounds of a downward step lie between -1 and size - 1.
    const int64_t low = step > 0 ? 0 : -1;
    const int64_t high = step > 0 ? size : size - 1;
    const auto bound = [&](int64_t value, bool open, int64_t otherwise) {
      if (open) return otherwise;
      return std::clamp(value < 0 ? value + size : value, low, high);
    };
    const int64_t begin = bound(begins[i], open_begin, step > 0 ? low : high);
    const int64_t end = bound(ends[i], open_end, step > 0 ? high : low);
    const int64_t distance = step > 0 ? end - begin : begin - end;
    const int64_t width = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;
    const int64_t steps = distance > 0 ? (distance - 1) / width + 1 : 0;
    slice.axes.push_back({begin, step, steps});
    slice.result.push_back(steps);
    ++axis;
  }
  whole(shape.rank() - axis);
  return slice;
}

namespace ops {
namespace {

// The size of a slice along an axis.
int64_t slice_size(int axis, int64_t length, int64_t begin, int64_t size) {
  const bool begins = begin != kUnknownInt;
  if (begins && (begin < 0 || (begin > length && length >= 0))) {
    invalid_argument("Expected begin[", axis, "] in [0, ", length, "], but got ", begin,
                     " [Op:Slice]");
  }
  if (size == kUnknownInt) return kUnknownSize;
  const int64_t most = length < 0 ? INT64_MAX : begins ? length - begin : length;
  if (size < -1 || size > most) {
    invalid_argument("Expected size[", axis, "] in [0, ", most, "], but got ", size, " [Op:Slice]");
  }
  if (size >= 0) return size;
  return begins && length >= 0 ? length - begin : kUnknownSize;
}

// The shape of a slice if the tensor's rank, or elements of the lists, are unknown.
Shape partly_sliced(const Shape& shape, const Ints& begin, const Ints& size) {
  const bool lists = !begin.is_unknown() && !size.is_unknown();
  if (!lists && begin.is_unknown() && size.is_unknown()) {
    return shape.ranked() ? Shape::of_rank(shape.rank()) : shape;
  }
  const auto rank = static_cast<int>(begin.is_unknown() ? size.size() : begin.size());
  if ((lists && begin.size() != size.size()) || !may_have_rank(shape, rank)) {
    invalid_argument("Expected begin and size arguments to be 1-D tensors of size ", shape.rank(),
                     ", but got shapes [", begin.size(), "] and [", size.size(),
                     "] instead. [Op:Slice]");
  }
  Shape result;
  for (int i = 0; i < rank; ++i) {
    result.push_back(slice_size(i, shape.ranked() ? shape[i] : kUnknownSize,
                                begin.is_unknown() ? kUnknownInt : begin[static_cast<size_t>(i)],
                                size.is_unknown() ? kUnknownInt : size[static_cast<size_t>(i)]));
  }
  return result;
}

[[gnu::hot]] void slice_infer(InferContext& c) {
  const Shape& shape = c.shape(0);
  const auto& [begin, size] = c.attrs<SliceAttrs>();
  if (!shape.ranked() || begin.is_unknown() || size.is_unknown()) [[unlikely]] {
    c.add_output(c.dtype(0), partly_sliced(shape, begin, size));
    return;
  }
  if (static_cast<int>(begin.size()) != shape.rank() || size.size() != begin.size()) {
    invalid_argument("Expected begin and size arguments to be 1-D tensors of size ", shape.rank(),
                     ", but got shapes [", begin.size(), "] and [", size.size(),
                     "] instead. [Op:Slice]");
  }
  Shape result = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    result[i] =
        slice_size(i, shape[i], begin[static_cast<size_t>(i)], size[static_cast<size_t>(i)]);
  }
  c.add_output(c.dtype(0), result);
}

void slice_gradient(GradContext& g) {
  const Ints& begin = g.attrs<SliceAttrs>().begin;
  const Ints end = sums_of(begin, g.output_shape(0));
  const Ints strides = ones_for(end);
  g.set_slice(0, g.dy(), StridedSliceAttrs{.begin = begin, .end = end, .strides = strides});
}

// The shape of the padded tensor. If its rank is unknown, the paddings determine the rank. If they
// are unknown, its sizes do not count.
Shape paddable(const Shape& shape, const Ints& paddings) {
  if (paddings.is_unknown() && shape.ranked()) return Shape::of_rank(shape.rank());
  if (paddings.is_unknown() || shape.ranked() || paddings.size() % 2 != 0) return shape;
  return Shape::of_rank(static_cast<int>(paddings.size() / 2));
}

void pad_infer(InferContext& c) {
  const PadAttrs& attrs = c.attrs<PadAttrs>();
  const Ints& paddings = attrs.paddings;
  const Shape shape = paddable(c.shape(0), paddings);
  if (paddings.is_unknown()) [[unlikely]] {
    c.add_output(c.dtype(0), shape);
    return;
  }
  if (static_cast<int>(paddings.size()) != 2 * shape.rank()) {
    invalid_argument("The first dimension of paddings must be the rank of inputs [",
                     paddings.size() / 2, ",2] ", shape, " [Op:Pad]");
  }
  const bool reflects = attrs.mode == PadMode::kReflect;
  Shape result = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t before = paddings[static_cast<size_t>(2 * i)];
    const int64_t after = paddings[static_cast<size_t>(2 * i + 1)];
    if (shape[i] < 0 || before == kUnknownInt || after == kUnknownInt) [[unlikely]] {
      for (int64_t padding : {before, after}) {
        if (padding < 0 && padding != kUnknownInt) {
          invalid_argument("Paddings must be non-negative: ", padding, " [Op:Pad]");
        }
      }
      result[i] = kUnknownSize;
      continue;
    }
    if (before < 0 || after < 0) {
      invalid_argument("Paddings must be non-negative: ", before, " ", after, " [Op:Pad]");
    }
    const int64_t most = reflects ? shape[i] - 1 : shape[i];
    if (attrs.mode != PadMode::kConstant && (before > most || after > most)) {
      invalid_argument("paddings must be ", reflects ? "less than" : "no greater than",
                       " the dimension size: ", before, ", ", after,
                       reflects ? " not less than " : " greater than ", shape[i],
                       " [Op:MirrorPad]");
    }
    if (__builtin_add_overflow(result[i], before, &result[i]) ||
        __builtin_add_overflow(result[i], after, &result[i])) {
      invalid_argument("The padded size overflows [Op:Pad]");
    }
  }
  check_elements(result, "Pad");
  c.add_output(c.dtype(0), result);
}

void pad_gradient(GradContext& g) {
  const PadAttrs& attrs = g.attrs<PadAttrs>();
  if (attrs.mode != PadMode::kConstant) {
    g.set(0, call(mirror_pad_grad, {g.dy()},
                  MirrorPadGradAttrs{.paddings = attrs.paddings, .mode = attrs.mode}));
    return;
  }
  g.set(0, call(slice, {g.dy()},
                SliceAttrs{.begin = every_second(attrs.paddings), .size = g.input_shape(0)}));
}

void mirror_pad_grad_infer(InferContext& c) {
  const auto& [paddings, mode] = c.attrs<MirrorPadGradAttrs>();
  Shape result = paddable(c.shape(0), paddings);
  if (paddings.is_unknown()) [[unlikely]] {
    c.add_output(c.dtype(0), result);
    return;
  }
  if (static_cast<int>(paddings.size()) != 2 * result.rank()) {
    invalid_argument("The first dimension of paddings must be the rank of inputs ", result,
                     " [Op:MirrorPadGrad]");
  }
  for (int i = 0; i < result.rank(); ++i) {
    const int64_t before = paddings[static_cast<size_t>(2 * i)];
    const int64_t after = paddings[static_cast<size_t>(2 * i + 1)];
    if (result[i] < 0 || before == kUnknownInt || after == kUnknownInt) [[unlikely]] {
      result[i] = kUnknownSize;
      continue;
    }
    const int64_t size = before < 0 || after < 0 || before > result[i] || after > result[i] - before
                             ? -1
                             : result[i] - before - after;
    // Padding mirrors elements of the result, so its size is the limit.
    const int64_t most = mode == PadMode::kReflect ? size - 1 : size;
    if (size < 0 || before > most || after > most) {
      invalid_argument("Paddings must be non-negative and fit the inputs: ", before, ", ", after,
                       " of ", result, " [Op:MirrorPadGrad]");
    }
    result[i] = size;
  }
  c.add_output(c.dtype(0), result);
}

}  // namespace

const Op slice{{
    .name = "slice",
    .tf_name = "Slice",
    .inputs = {{"input_", kAllTypes | kSlicedTypes}},
    .attrs = attrs_of<SliceAttrs>(),
    .tensor_attrs = {{"begin", "Index"}, {"size", "Index"}},
    .infer = slice_infer,
    .kernel = cpu::slice,
    .gradient = slice_gradient,
    .may_be_unknown = Unknown::kRanks,
    .doc = R"(The part of a tensor that begins at `begin` and has shape `size`.

A size of -1 means all that remains. Raises InvalidArgumentError for parts that stick out.

>>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1]).numpy().tolist()
[[2, 3], [5, 6]]
)",
}};

const Op strided_slice{{
    .name = "strided_slice",
    .tf_name = "StridedSlice",
    .inputs = {{"input_", kMovedTypes | kSlicedTypes}},
    .attrs = attrs_of<StridedSliceAttrs>(),
    .tensor_attrs = {{"begin", "Index"}, {"end", "Index"}, {"strides", "Index"}},
    .infer =
        [](InferContext& c) {
          c.add_output(c.dtype(0), resolve_slice(c.shape(0), c.attrs<StridedSliceAttrs>()).result);
        },
    .kernel = cpu::strided_slice,
    .gradient = [](GradContext& g) { g.set_slice(0, g.dy(), g.attrs<StridedSliceAttrs>()); },
    .may_be_unknown = Unknown::kRanks,
    .makes_outputs = true,
    .doc = "Every stride-th element from begin to end along each axis, as Python's x[b:e:s] does.",
}};

const Op strided_slice_update{{
    .name = "strided_slice_update",
    .tf_name = "TensorStridedSliceUpdate",
    .inputs = {{"input_", kAllTypes}, {"value", kAllTypes}},
    .attrs = attrs_of<StridedSliceAttrs>(),
    .tensor_attrs = {{"begin", "Index"}, {"end", "Index"}, {"strides", "Index"}},
    .infer =
        [](InferContext& c) {
          // As in TensorFlow, a run refuses values that do not fit, and not the building of a
          // graph.
          resolve_slice(c.shape(0), c.attrs<StridedSliceAttrs>());
          c.add_output(c.dtype(0), c.shape(0));
        },
    .kernel = cpu::strided_slice_update,
    .gradient =
        [](GradContext& g) {
          const auto& slice = g.attrs<StridedSliceAttrs>();
          if (g.wants(0)) {
            g.set(0, call(strided_slice_update, {g.dy(), ef::zeros(g.input_dtype(0), {})}, slice));
          }
          if (g.wants(1)) {
            g.set(1, sum_to_shape(call(strided_slice, {g.dy()}, slice), g.input_shape(1)));
          }
        },
    .needs = {{}, {}},
    .sizes = {.inputs = 2},
    .may_be_unknown = Unknown::kSizes,
    .changes_first = true,
    .checks_values = true,
    .doc =
        "A copy of a tensor with the part replaced that strided_slice would take; the values are "
        "broadcast to its shape.",
}};

const Op strided_slice_grad{{
    .name = "strided_slice_grad",
    .tf_name = "StridedSliceGrad",
    .inputs = {{"dy", kNumericTypes | kVariantType}},
    .attrs = attrs_of<StridedSliceGradAttrs>(),
    .infer =
        [](InferContext& c) {
          const auto& [sizes, slice] = c.attrs<StridedSliceGradAttrs>();
          const Shape shape = shape_of_sizes(sizes, c.op().tf_name);
          const Shape expected = resolve_slice(shape, slice).result;
          if (!compatible(expected, c.shape(0))) {
            invalid_argument("The gradient of a slice has shape ", c.shape(0), ", expected ",
                             expected, " [Op:StridedSliceGrad]");
          }
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::strided_slice_grad,
    .gradient =
        [](GradContext& g) {
          g.set(0, call(strided_slice, {g.dy()}, g.attrs<StridedSliceGradAttrs>().slice));
        },
    .may_be_unknown = Unknown::kRanks,
    .doc = "Zeros of a shape, with `dy` where a strided slice was taken.",
}};

const Op pad{{
    .name = "pad",
    .tf_name = "Pad",
    .inputs = {{.name = "tensor", .dtypes = kPlainTypes | kPaddedTypes, .no_kernel = kStoredTypes}},
    .attrs = attrs_of<PadAttrs>(),
    .tensor_attrs = {{"paddings", "Tpaddings"}},
    .infer = pad_infer,
    .kernel = cpu::pad,
    .gradient = pad_gradient,
    .may_be_unknown = Unknown::kRanks,
    .doc = "Adds elements before and after along each axis.",
}};

const Op mirror_pad_grad{{
    .name = "mirror_pad_grad",
    .tf_name = "MirrorPadGrad",
    .inputs = {{"dy", kNumericTypes}},
    .attrs = attrs_of<MirrorPadGradAttrs>(),
    .infer = mirror_pad_grad_infer,
    .kernel = cpu::mirror_pad_grad,
    .gradient =
        [](GradContext& g) {
          const auto& [paddings, mode] = g.attrs<MirrorPadGradAttrs>();
          g.set(0, call(pad, {g.dy()}, PadAttrs{.paddings = paddings, .mode = mode}));
        },
    .may_be_unknown = Unknown::kRanks,
    .doc = "Adds mirrored elements to those they mirror.",
}};

}  // namespace ops
}  // namespace ef
