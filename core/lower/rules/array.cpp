// Shapes, slices, joins, paddings, and tensors made from sizes.
#include <algorithm>

#include "lower/rule.h"
#include "ops/array.h"
#include "ops/creation.h"
#include "ops/densify.h"
#include "ops/shapes.h"
#include "ops/slicing.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

Values bitcast(const Call& c) {
  const Value& x = c.in[0];
  if (is_complex(x.dtype) != is_complex(c.out[0].dtype)) {
    fail(Code::kUnimplemented, "programs do not take complex numbers for others");
  }
  return {x.dtype == c.out[0].dtype ? x : c.b.one("stablehlo.bitcast_convert", {x}, c.out[0])};
}

// Results that are the input under another shape.
Values reshaped(const Call& c) { return {c.b.reshape(c.in[0], c.out[0].shape)}; }

Values shape(const Call& c) {
  Tensor sizes = Tensor::empty(c.out[0].dtype, c.out[0].shape);
  for (int axis = 0; axis < c.in[0].rank(); ++axis) {
    const int64_t size = c.in[0].shape[axis];
    if (sizes.dtype() == DType::kInt64) {
      sizes.mutable_data<int64_t>()[axis] = size;
    } else {
      sizes.mutable_data<int32_t>()[axis] = static_cast<int32_t>(size);
    }
  }
  return {c.b.constant(sizes)};
}

Values transpose(const Call& c) {
  const auto& attrs = c.attrs<ops::TransposeAttrs>();
  const int rank = c.in[0].rank();
  Dims permutation;
  for (int axis = 0; axis < rank; ++axis) {
    permutation.push_back(attrs.perm ? normalized((*attrs.perm)[static_cast<size_t>(axis)], rank)
                                     : rank - 1 - axis);
  }
  const Value turned = c.b.transpose(c.in[0], permutation);
  return {attrs.conjugate ? c.b.conj(turned) : turned};
}

Values broadcast_to(const Call& c) { return {c.broadcast(0)}; }

Values tile(const Call& c) {
  const Value& x = c.in[0];
  const auto& attrs = c.attrs<ops::TileAttrs>();
  // [a, b] becomes [m, a, n, b], and then [m a, n b].
  Shape wide;
  Dims axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    wide.push_back(attrs.multiples[static_cast<size_t>(axis)]);
    axes.push_back(wide.rank());
    wide.push_back(x.shape[axis]);
  }
  return {c.b.reshape(c.b.broadcast_in_dim(x, wide, axes), c.out[0].shape)};
}

Values reverse(const Call& c) {
  const auto& attrs = c.attrs<ops::ReverseAttrs>();
  return {c.b.reverse(c.in[0], normalized(attrs.axis, c.in[0].rank()))};
}

Values concat(const Call& c) {
  const int64_t axis = normalized(c.attrs<ops::ConcatAttrs>().axis, c.in[0].rank());
  return {c.b.concat(c.in, axis)};
}

Values stack(const Call& c) {
  const int64_t axis = normalized(c.attrs<ops::StackAttrs>().axis, c.out[0].shape.rank());
  Values parts;
  for (const Value& part : c.in) {
    Shape shape = part.shape;
    shape.insert(static_cast<int>(axis), 1);
    parts.push_back(c.b.reshape(part, shape));
  }
  return {c.b.concat(parts, axis)};
}

// Consecutive slices along an axis, reshaped to the shapes of the results.
Values parts_of(const Call& c, int64_t axis, std::span<const int64_t> sizes) {
  const Value& x = c.in[0];
  Dims begin(static_cast<size_t>(x.rank()), 0), end(x.shape.begin(), x.shape.end());
  Values results;
  int64_t at = 0;
  for (size_t k = 0; k < c.out.size(); ++k) {
    begin[static_cast<size_t>(axis)] = at;
    end[static_cast<size_t>(axis)] = at += sizes[k];
    results.push_back(c.b.reshape(c.b.slice(x, begin, end), c.out[k].shape));
  }
  return results;
}

Values unstack(const Call& c) {
  const int64_t axis = normalized(c.attrs<ops::UnstackAttrs>().axis, c.in[0].rank());
  return parts_of(c, axis, Dims(c.out.size(), 1));
}

Values split(const Call& c) {
  const int64_t axis = normalized(c.attrs<ops::SplitAttrs>().axis, c.in[0].rank());
  Dims sizes;
  for (const TensorSpec& part : c.out) sizes.push_back(part.shape[static_cast<int>(axis)]);
  return parts_of(c, axis, sizes);
}

// An element of a list as a scalar: a late value, or a constant if it is known.
Value element_at(const Call& c, const std::string& list, size_t i, int64_t known) {
  if (const Value* const late = c.find_late(cat(list, "[", i, "]"))) {
    return c.b.convert(*late, DType::kInt64);
  }
  if (const Value* const whole = c.find_late(list)) {
    const int64_t at = static_cast<int64_t>(i);
    const Value taken = c.b.slice(*whole, Dims{at}, Dims{at + 1});
    return c.b.convert(c.b.reshape(taken, {}), DType::kInt64);
  }
  return c.b.full_int(DType::kInt64, {}, known);
}

Values slice(const Call& c) {
  const auto& attrs = c.attrs<ops::SliceAttrs>();
  const Value& x = c.in[0];
  if (!c.late.empty()) {
    Values starts;
    for (int axis = 0; axis < x.rank(); ++axis) {
      const auto i = static_cast<size_t>(axis);
      starts.push_back(element_at(c, "begin", i, attrs.begin.is_unknown() ? 0 : attrs.begin[i]));
    }
    return {c.b.dynamic_slice(x, starts, Dims(c.out[0].shape.begin(), c.out[0].shape.end()))};
  }
  Dims begin(attrs.begin.begin(), attrs.begin.end()), end = begin;
  for (size_t i = 0; i < end.size(); ++i) end[i] += c.out[0].shape[static_cast<int>(i)];
  return {c.b.slice(x, begin, end)};
}

// The range of a strided slice along each axis, before axes are added and dropped. Negative strides
// become positive strides over the reversed input.
struct Taken {
  Dims begin, end, strides, reversed;
};
Taken taken_of(const Shape& shape, const StridedSlice& slice) {
  Taken taken;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const StridedSlice::Axis& one = slice.axes[static_cast<size_t>(axis)];
    int64_t begin = one.begin;
    int64_t stride = one.stride;
    if (stride < 0) {
      begin = shape[axis] - 1 - begin;
      stride = -stride;
      taken.reversed.push_back(axis);
    }
    if (one.count == 0) begin = 0;
    taken.begin.push_back(begin);
    taken.end.push_back(one.count == 0 ? 0 : begin + (one.count - 1) * stride + 1);
    taken.strides.push_back(stride);
  }
  return taken;
}

// Where a part begins, its size along each axis, and its shape without the axes that indices drop
// and with the new ones.
struct Part {
  Values starts;
  Dims sizes;
  Shape result;
};

// A slice with late begins, whose entries drop their axis (x[i]) or span all of it (x[:]).
Part late_part(const Call& c) {
  const auto& attrs = c.attrs<ops::StridedSliceAttrs>();
  const Value& x = c.in[0];
  if (attrs.begin.is_unknown()) refuse("slices whose number of indices is not known");
  Part part;
  auto& [starts, sizes, result] = part;
  int axis = 0;
  for (size_t i = 0; i < attrs.begin.size(); ++i) {
    const auto bit = [&](int64_t mask) { return (mask >> i & 1) != 0; };
    if (bit(attrs.ellipsis_mask)) {
      const auto more = std::popcount(static_cast<uint64_t>(attrs.new_axis_mask) >> i >> 1);
      const int left = static_cast<int>(attrs.begin.size() - i - 1) - more;
      while (axis < x.rank() - left) {
        starts.push_back(c.b.full_int(DType::kInt64, {}, 0));
        sizes.push_back(x.shape[axis]);
        result.push_back(x.shape[axis++]);
      }
      continue;
    }
    if (bit(attrs.new_axis_mask)) {
      result.push_back(1);
      continue;
    }
    const int64_t size = x.shape[axis++];
    const bool late = c.find_late(cat("begin[", i, "]"));
    if (bit(attrs.shrink_axis_mask)) {
      Value start = element_at(c, "begin", i, attrs.begin[i]);
      const Value length = c.b.full_int(DType::kInt64, {}, size);
      start =
          c.b.select(c.b.compare("LT", start, c.b.like(start, 0)), c.b.add(start, length), start);
      starts.push_back(start);
      sizes.push_back(1);
    } else if (!late && bit(attrs.begin_mask) && bit(attrs.end_mask) && attrs.strides[i] == 1) {
      starts.push_back(c.b.full_int(DType::kInt64, {}, 0));
      sizes.push_back(size);
      result.push_back(size);
    } else {
      refuse("slices whose sizes depend on values");
    }
  }
  for (; axis < x.rank(); ++axis) {
    starts.push_back(c.b.full_int(DType::kInt64, {}, 0));
    sizes.push_back(x.shape[axis]);
    result.push_back(x.shape[axis]);
  }
  return part;
}

Values strided_slice(const Call& c) {
  if (!c.late.empty()) {
    const Part part = late_part(c);
    return {c.b.reshape(c.b.dynamic_slice(c.in[0], part.starts, part.sizes), part.result)};
  }
  const Value& x = c.in[0];
  const StridedSlice slice = resolve_slice(x.shape, c.attrs<ops::StridedSliceAttrs>());
  const Taken taken = taken_of(x.shape, slice);
  const Value forwards = c.b.reverse(x, taken.reversed);
  return {c.b.reshape(c.b.slice(forwards, taken.begin, taken.end, taken.strides), c.out[0].shape)};
}

// Zeros of a shape, with `part` where a slice would be taken.
Value among_zeros(Builder& b, const Shape& shape, const StridedSlice& slice, const Value& part) {
  const Taken taken = taken_of(shape, slice);
  Shape counts;
  for (const StridedSlice::Axis& axis : slice.axes) counts.push_back(axis.count);
  Dims after, between;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    after.push_back(shape[axis] - taken.end[i]);
    between.push_back(taken.strides[i] - 1);
  }
  const Value zero = b.full(part.dtype, {}, 0);
  const Value padded = b.pad(b.reshape(part, counts), zero, taken.begin, after, between);
  return b.reverse(padded, taken.reversed);
}

Values strided_slice_grad(const Call& c) {
  const auto& attrs = c.attrs<ops::StridedSliceGradAttrs>();
  const Shape& shape = c.out[0].shape;
  if (!c.late.empty()) refuse("gradients of slices at places that are not known");
  return {among_zeros(c.b, shape, resolve_slice(shape, attrs.slice), c.in[0])};
}

Values strided_slice_update(const Call& c) {
  const auto& attrs = c.attrs<ops::StridedSliceAttrs>();
  const Value& x = c.in[0];
  if (c.late.empty()) {
    const StridedSlice slice = resolve_slice(x.shape, attrs);
    require_room(c.in[1].shape, slice.result);
    const Value part = c.b.broadcast(c.in[1], slice.result);
    const Value there = among_zeros(c.b, x.shape, slice, c.b.full(DType::kBool, part.shape, 1));
    return {c.b.select(there, among_zeros(c.b, x.shape, slice, part), x)};
  }
  const auto [starts, sizes, result] = late_part(c);
  require_room(c.in[1].shape, result);
  const Value part = c.b.reshape(c.b.broadcast(c.in[1], result), Shape(sizes));
  return {c.b.dynamic_update_slice(x, part, starts)};
}

Values roll(const Call& c) {
  const auto& [shift, axis] = c.attrs<ops::RollAttrs>();
  const Value& x = c.in[0];
  if (c.find_late("axis")) refuse("rolls along an axis that is not known");
  const auto k = static_cast<size_t>(normalized(axis, x.rank()));
  const int64_t size = x.shape[static_cast<int>(k)];
  if (x.shape.num_elements() == 0) return {x};
  const Dims whole(x.shape.begin(), x.shape.end());
  Dims begin(whole.size(), 0), end = whole;
  if (c.late.empty()) {
    const int64_t cut = (size - shift % size) % size;
    begin[k] = end[k] = cut;
    const Value last = c.b.slice(x, begin, whole), first = c.b.slice(x, Dims(whole.size(), 0), end);
    return {c.b.concat(std::array{last, first}, static_cast<int64_t>(k))};
  }
  const Value length = c.b.full_int(DType::kInt64, {}, size);
  const auto remainder = [&](const Value& value) {
    return c.b.binary("stablehlo.remainder", value, length);
  };
  const Value distance =
      remainder(c.b.convert(c.b.reshape(*c.find_late("shift"), {}), DType::kInt64));
  const Value start = remainder(c.b.sub(length, distance));
  Values starts(whole.size(), c.b.full_int(DType::kInt64, {}, 0));
  starts[k] = start;
  return {c.b.dynamic_slice(c.b.concat(std::array{x, x}, static_cast<int64_t>(k)), starts, whole)};
}

Values pad(const Call& c) {
  const auto& attrs = c.attrs<ops::PadAttrs>();
  Value x = c.in[0];
  if (attrs.mode == ops::PadMode::kConstant) {
    Dims before, after;
    for (size_t i = 0; i < attrs.paddings.size(); i += 2) {
      before.push_back(attrs.paddings[i]);
      after.push_back(attrs.paddings[i + 1]);
    }
    return {c.b.pad(x, c.b.full(x.dtype, {}, attrs.constant_values), before, after)};
  }
  const int64_t skip = attrs.mode == ops::PadMode::kReflect ? 1 : 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t before = attrs.paddings[2 * i], after = attrs.paddings[2 * i + 1];
    const int64_t size = x.shape[axis];
    const auto mirrored = [&](int64_t from, int64_t to) {
      Dims begin(static_cast<size_t>(x.rank()), 0), end(x.shape.begin(), x.shape.end());
      begin[i] = from;
      end[i] = to;
      return c.b.reverse(c.b.slice(x, begin, end), Dims{axis});
    };
    Values parts;
    if (before) parts.push_back(mirrored(skip, skip + before));
    parts.push_back(x);
    if (after) parts.push_back(mirrored(size - skip - after, size - skip));
    x = c.b.concat(parts, axis);
  }
  return {x};
}

// Adds the gradient of each padded element to that of the element it mirrors.
Values mirror_pad_grad(const Call& c) {
  const auto& attrs = c.attrs<ops::MirrorPadGradAttrs>();
  const int64_t skip = attrs.mode == ops::PadMode::kReflect ? 1 : 0;
  Value dy = c.in[0];
  for (int axis = 0; axis < dy.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    const int64_t before = attrs.paddings[2 * i], after = attrs.paddings[2 * i + 1];
    const int64_t size = dy.shape[axis] - before - after;
    const auto part = [&](int64_t from, int64_t to) {
      Dims begin(static_cast<size_t>(dy.rank()), 0), end(dy.shape.begin(), dy.shape.end());
      begin[i] = from;
      end[i] = to;
      return c.b.slice(dy, begin, end);
    };
    Value sum = part(before, before + size);
    const auto add = [&](const Value& mirrored, int64_t first) {
      Dims left(static_cast<size_t>(dy.rank()), 0), right = left;
      left[i] = first;
      right[i] = size - first - mirrored.shape[axis];
      const Value zero = c.b.full(dy.dtype, {}, 0);
      sum = c.b.add(sum, c.b.pad(c.b.reverse(mirrored, Dims{axis}), zero, left, right));
    };
    if (before) add(part(0, before), skip);
    if (after) add(part(before + size, before + size + after), size - skip - after);
    dy = sum;
  }
  return {dy};
}

Values fill(const Call& c) { return {c.b.broadcast(c.in[0], c.out[0].shape)}; }
template <int kNumber>
Values constant(const Call& c) {
  return {c.b.full(c.out[0].dtype, c.out[0].shape, kNumber)};
}

Values range(const Call& c) {
  const TensorSpec& out = c.out[0];
  const Value places = c.b.iota(out.dtype, out.shape, 0);
  return {c.b.add(c.b.broadcast(c.in[0], out.shape),
                  c.b.mul(places, c.b.broadcast(c.in[2], out.shape)))};
}

Values eye(const Call& c) {
  const TensorSpec& out = c.out[0];
  const int rank = out.shape.rank();
  const Value rows = c.b.iota(DType::kInt64, out.shape, rank - 2);
  const Value columns = c.b.iota(DType::kInt64, out.shape, rank - 1);
  return {c.b.convert(c.b.compare("EQ", rows, columns), out.dtype)};
}

Values matrix_band_part(const Call& c) {
  const auto& attrs = c.attrs<ops::MatrixBandPartAttrs>();
  const Value& x = c.in[0];
  const Value rows = c.b.iota(DType::kInt64, x.shape, x.rank() - 2);
  const Value columns = c.b.iota(DType::kInt64, x.shape, x.rank() - 1);
  const Value below = c.b.sub(rows, columns);
  Value kept = c.b.full(DType::kBool, x.shape, 1);
  if (attrs.num_lower >= 0) {
    const Value limit = c.b.full_int(DType::kInt64, x.shape, attrs.num_lower);
    kept = c.b.compare("LE", below, limit);
  }
  if (attrs.num_upper >= 0) {
    const Value limit = c.b.full_int(DType::kInt64, x.shape, -attrs.num_upper);
    kept = c.b.logical_and(kept, c.b.compare("GE", below, limit));
  }
  return {c.b.select(kept, x, c.b.like(x, 0))};
}

// Whether an element of the last two axes lies on diagonal k.
Value on_diagonal(Builder& b, const Shape& shape, int64_t k) {
  const Value rows = b.iota(DType::kInt64, shape, shape.rank() - 2);
  const Value columns = b.iota(DType::kInt64, shape, shape.rank() - 1);
  return b.compare("EQ", b.sub(columns, rows), b.full_int(DType::kInt64, shape, k));
}

Values diag(const Call& c) {
  const auto& attrs = c.attrs<ops::DiagAttrs>();
  const Shape& shape = c.out[0].shape;
  const int rank = shape.rank();
  // Along rows for diagonals that begin in the first row, else along columns; padded with zeros.
  const int along = attrs.k >= 0 ? rank - 2 : rank - 1;
  const Value& x = c.in[0];
  Dims before(static_cast<size_t>(x.rank()), 0), after = before, axes;
  after.back() = shape[along] - x.shape.back();
  const Value full = c.b.pad(x, c.b.full(x.dtype, {}, 0), before, after);
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != (along == rank - 2 ? rank - 1 : rank - 2)) axes.push_back(axis);
  }
  const Value wide = c.b.broadcast_in_dim(full, shape, axes);
  return {c.b.select(on_diagonal(c.b, shape, attrs.k), wide, c.b.like(wide, 0))};
}

Values diag_part(const Call& c) {
  const int64_t k = c.attrs<ops::DiagPartAttrs>().k;
  const Value& x = c.in[0];
  const int rank = x.rank();
  const Value only = c.b.select(on_diagonal(c.b, x.shape, k), x, c.b.like(x, 0));
  const int over = k >= 0 ? rank - 1 : rank - 2;
  if (is_complex(x.dtype) || x.dtype == DType::kBool) refuse("diagonals of ", x.dtype);
  const Value sums = c.b.reduce(Reduction::kAdd, only, Dims{over});
  Dims begin(static_cast<size_t>(rank - 1), 0), end(sums.shape.begin(), sums.shape.end());
  end.back() = c.out[0].shape.back();
  return {c.b.slice(sums, begin, end)};
}

Values linspace(const Call& c) {
  Builder& b = c.b;
  const auto& attrs = c.attrs<ops::LinspaceAttrs>();
  const Shape& shape = c.out[0].shape;
  if (!is_floating(c.out[0].dtype)) refuse("linspace of integers");
  const int64_t axis = normalized(attrs.axis, shape.rank());
  const Dims missing{axis};
  const Shape each = without(shape, missing);
  const Value start = b.broadcast(c.in[0], each), stop = b.broadcast(c.in[1], each);
  const Value steps = b.like(start, static_cast<double>(std::max<int64_t>(attrs.num - 1, 1)));
  const Value delta = b.spread(b.div(b.sub(stop, start), steps), shape, missing);
  const Value number = b.iota(c.out[0].dtype, shape, axis);
  const Value inside = b.add(b.spread(start, shape, missing), b.mul(delta, number));
  if (attrs.num < 2) return {inside};
  const Value last = b.like(number, static_cast<double>(attrs.num - 1));
  const Value is_last = b.compare("EQ", number, last);
  return {b.select(is_last, b.spread(stop, shape, missing), inside)};
}

constexpr std::pair<const char*, Rule> kArrayRules[] = {
    {"bitcast", bitcast},
    {"reshape", reshaped},
    {"expand_dims", reshaped},
    {"squeeze", reshaped},
    {"ensure_shape", reshaped},
    {"shape", shape},
    {"transpose", transpose},
    {"broadcast_to", broadcast_to},
    {"tile", tile},
    {"reverse", reverse},
    {"roll", roll},
    {"concat", concat},
    {"linspace", linspace},
    {"stack", stack},
    {"unstack", unstack},
    {"split", split},
    {"slice", slice},
    {"strided_slice", strided_slice},
    {"strided_slice_grad", strided_slice_grad},
    {"strided_slice_update", strided_slice_update},
    {"pad", pad},
    {"mirror_pad_grad", mirror_pad_grad},
    {"fill", fill},
    {"zeros", constant<0>},
    {"ones", constant<1>},
    {"zeros_like", constant<0>},
    {"ones_like", constant<1>},
    {"range", range},
    {"eye", eye},
    {"matrix_band_part", matrix_band_part},
    {"diag", diag},
    {"diag_part", diag_part},
};

}  // namespace

RuleList array_rules() { return kArrayRules; }

}  // namespace ef::lower
