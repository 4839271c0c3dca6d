// Gradients of slices whose indices depend on values.
#include "graph/late_slices.h"

#include <algorithm>
#include <optional>

#include "eager/dispatch.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"

namespace ef::graph {
namespace {

// The part of an axis in a slice: `size` elements from `begin` on, or from a scalar on.
struct Part {
  int64_t begin = 0;
  int64_t size = 0;
  Tensor late;
  bool from_end = false;  // whether a negative scalar counts from the end
};

class Begins {
 public:
  Begins(const DifferentiatedOperation& operation, std::span<const Tensor> inputs)
      : operation_(operation),
        inputs_(inputs),
        fields_(AttrsRef(operation.attrs).type()->fields()) {}

  // The scalar that holds an element of the list; empty if the element is known.
  Tensor find(size_t element) const {
    for (const LateAttr& late : operation_.late) {
      if (fields_[static_cast<size_t>(late.field)].name != "begin") continue;
      const Tensor& source = inputs_[static_cast<size_t>(late.input)];
      const auto own = static_cast<int64_t>(element);
      if (late.element >= 0 && late.element != own) continue;
      const int64_t position = late.element < 0 ? own : late.position;
      Tensor number = cast_to(source, DType::kInt64);
      if (source.rank() > 0) {
        number =
            call(ops::slice, {number}, ops::SliceAttrs{.begin = Ints{position}, .size = Ints{1}});
      }
      return reshape_to(number, {});
    }
    return {};
  }

 private:
  const DifferentiatedOperation& operation_;
  std::span<const Tensor> inputs_;
  std::vector<AttrField> fields_;
};

std::optional<std::vector<Part>> parts_of_slice(const ops::SliceAttrs& attrs, const Begins& begins,
                                                const Shape& dy) {
  std::vector<Part> parts;
  for (int axis = 0; axis < dy.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    parts.push_back({.size = dy[axis], .late = begins.find(i)});
    if (!parts.back().late) parts.back().begin = attrs.begin[i];
  }
  return parts;
}

// The parts of x[i, …, :, j], which consists of indices and full axes.
std::optional<std::vector<Part>> parts_of_indices(const ops::StridedSliceAttrs& attrs,
                                                  const Begins& begins, const Shape& shape) {
  if (attrs.begin.is_unknown()) return std::nullopt;
  const auto has = [](int64_t mask, size_t i) { return (mask >> i & 1) != 0; };
  const size_t count = attrs.begin.size();
  size_t taken = 0;  // axes of entries other than the ellipsis
  for (size_t i = 0; i < count; ++i) {
    taken += !has(attrs.new_axis_mask, i) && !has(attrs.ellipsis_mask, i);
  }
  std::vector<Part> parts;
  const auto whole = [&] { parts.push_back({.size = shape[static_cast<int>(parts.size())]}); };
  for (size_t i = 0; i < count; ++i) {
    if (has(attrs.ellipsis_mask, i)) {
      for (size_t k = taken; k < static_cast<size_t>(shape.rank()); ++k) whole();
    } else if (has(attrs.shrink_axis_mask, i) && !has(attrs.new_axis_mask, i)) {
      const int64_t size = shape[static_cast<int>(parts.size())];
      Part part{.size = 1, .late = begins.find(i), .from_end = true};
      if (!part.late) part.begin = attrs.begin[i] < 0 ? attrs.begin[i] + size : attrs.begin[i];
      parts.push_back(std::move(part));
    } else if (!has(attrs.new_axis_mask, i)) {
      if (!has(attrs.begin_mask, i) || !has(attrs.end_mask, i) || attrs.strides[i] != 1) {
        return std::nullopt;
      }
      whole();
    }
  }
  while (parts.size() < static_cast<size_t>(shape.rank())) whole();
  return parts;
}

}  // namespace

Tensor late_slice_gradient(const DifferentiatedOperation& operation, const Shape& shape,
                           const Tensor& dy, std::span<const Tensor> inputs) {
  if (!shape.fully_known() || !dy.shape().fully_known()) return {};
  const Begins begins(operation, inputs);
  std::optional<std::vector<Part>> parts;
  if (operation.op == &ops::slice) {
    parts = parts_of_slice(AttrsRef(operation.attrs).as<ops::SliceAttrs>(), begins, dy.shape());
  } else if (operation.op == &ops::strided_slice) {
    parts = parts_of_indices(AttrsRef(operation.attrs).as<ops::StridedSliceAttrs>(), begins, shape);
  }
  if (!parts) return {};
  // Axes behind the last sliced one are complete, so the gradient adds rows of dy to rows of zeros.
  int split = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Part& part = (*parts)[static_cast<size_t>(axis)];
    if (part.late || part.size != shape[axis]) split = axis + 1;
  }
  int64_t rows = 1, all = 1;
  for (int axis = 0; axis < split; ++axis) {
    rows *= (*parts)[static_cast<size_t>(axis)].size;
    all *= shape[axis];
  }
  const Tensor places = Tensor::empty(DType::kInt64, {rows});
  std::fill_n(places.mutable_data<int64_t>(), rows, 0);
  Tensor start;
  int64_t stride = 1, inner = 1;
  for (int axis = split; axis-- > 0;) {
    const Part& part = (*parts)[static_cast<size_t>(axis)];
    for (int64_t row = 0; row < rows; ++row) {
      places.mutable_data<int64_t>()[row] += (part.begin + row / inner % part.size) * stride;
    }
    if (part.late) {
      Tensor late = part.late;
      if (part.from_end) {
        const Tensor negative = call(ops::less, {late, Tensor::of(int64_t{0})});
        late = select(negative, late + static_cast<double>(shape[axis]), late);
      }
      const Tensor offset = late * static_cast<double>(stride);
      start = start ? start + offset : offset;
    }
    inner *= part.size;
    stride *= shape[axis];
  }
  Shape of_rows{rows};
  for (int axis = split; axis < shape.rank(); ++axis) of_rows.push_back(shape[axis]);
  const Tensor ids = start ? places + start : places;
  const Tensor sums = call(ops::unsorted_segment_sum, {reshape_to(dy, of_rows), ids},
                           ops::UnsortedSegmentAttrs{.num_segments = all});
  return reshape_to(sums, shape);
}

}  // namespace ef::graph
