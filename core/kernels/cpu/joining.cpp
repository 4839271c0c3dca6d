// Kernels that join and split tensors.
#include <cstddef>

#include "kernels/cpu/array.h"
#include "kernels/cpu/moves.h"
#include "ops/array.h"

namespace ef::cpu {
namespace {

// A shape as seen from one axis: the number of blocks before it, and the elements of one step.
struct Around {
  int64_t outer = 1;
  int64_t inner = 1;
};

Around around(const Shape& shape, int axis) {
  Around result;
  for (int i = 0; i < axis; ++i) result.outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) result.inner *= shape[i];
  return result;
}

// Copies `outer` blocks of `size` elements, with strides `out_step` and `in_step`.
void copy_blocks(DType dtype, void* out, const void* in, int64_t outer, int64_t size,
                 int64_t out_step, int64_t in_step) {
  StridedMove move;
  move.add(outer, out_step, in_step);
  move.add(size, 1, 1);
  move.run(dtype, out, in);
}

// Joins the inputs: each contributes `width(input)` elements to every outer block.
template <class Width>
void join(KernelContext& context, int64_t outer, const Width& width) {
  const Tensor& out = context.output(0);
  if (out.size() == 0) return;
  const int64_t row = out.size() / outer;
  int64_t start = 0;
  for (const Tensor& input : context.inputs()) {
    const int64_t size = width(input);
    if (size == 0) continue;
    copy_blocks(out.dtype(), element_at(out, start), input.raw_data(), outer, size, row, size);
    start += size;
  }
}

// Copies a part of every outer block; a view if that is contiguous.
Tensor take(const Tensor& from, const Shape& shape, int64_t outer, int64_t start, int64_t size,
            int64_t row) {
  if (outer == 1 && !owns_memory(from.dtype())) return from.view_at(start, shape);
  const Tensor part = Tensor::empty(from.dtype(), shape);
  if (part.size() > 0) {
    copy_blocks(from.dtype(), part.mutable_raw_data(), element_at(from, start), outer, size, size,
                row);
  }
  return part;
}

}  // namespace

[[gnu::hot]] void concat(KernelContext& context) {
  const int axis = axis_of(context.attrs<ops::ConcatAttrs>().axis, context.output(0).rank());
  const Around place = around(context.output(0).shape(), axis);
  join(context, place.outer, [&](const Tensor& input) { return input.dim(axis) * place.inner; });
}

void stack(KernelContext& context) {
  const int axis = axis_of(context.attrs<ops::StackAttrs>().axis, context.output(0).rank());
  const Around place = around(context.output(0).shape(), axis);
  join(context, place.outer, [&](const Tensor&) { return place.inner; });
}

void unstack(KernelContext& context) {
  const Tensor& value = context.input(0);
  const int axis = axis_of(context.attrs<ops::UnstackAttrs>().axis, value.rank());
  const Around place = around(value.shape(), axis);
  const int64_t row = value.dim(axis) * place.inner;
  for (int j = 0; j < context.num_outputs(); ++j) {
    context.output(j) =
        take(value, context.spec(j).shape, place.outer, j * place.inner, place.inner, row);
  }
}

void split(KernelContext& context) {
  const Tensor& value = context.input(0);
  const int axis = axis_of(context.attrs<ops::SplitAttrs>().axis, value.rank());
  const Around place = around(value.shape(), axis);
  const int64_t row = value.dim(axis) * place.inner;
  int64_t start = 0;
  for (int j = 0; j < context.num_outputs(); ++j) {
    const Shape& shape = context.spec(j).shape;
    const int64_t size = shape[axis] * place.inner;
    context.output(j) = take(value, shape, place.outer, start, size, row);
    start += size;
  }
}

}  // namespace ef::cpu
