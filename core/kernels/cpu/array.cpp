// Kernels that permute, repeat and reverse axes.
#include "kernels/cpu/array.h"

#include <bitset>
#include <complex>

#include "device/parallel.h"
#include "eager/lazy.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/moves.h"
#include "ops/array.h"

namespace ef::cpu {
namespace {

template <class T>
void conjugate_in_place(const Tensor& tensor) {
  T* values = tensor.mutable_data<T>();
  parallel_for(tensor.size(), 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values[i] = std::conj(values[i]);
  });
}

}  // namespace

void view_as_inferred(KernelContext& context) {
  context.output(0) = context.input(0).view(context.spec(0).shape);
}

void bitcast(KernelContext& context) {
  const Tensor& input = context.input(0);
  std::memcpy(context.output(0).mutable_raw_data(), input.raw_data(),
              static_cast<size_t>(input.bytes()));
}

[[gnu::hot]] void transpose(KernelContext& context) {
  const Tensor& input = context.input(0);
  const auto& attrs = context.attrs<ops::TransposeAttrs>();
  const int rank = input.rank();
  const bool conjugate = attrs.conjugate && is_complex(input.dtype());
  const Shape& shape = context.spec(0).shape;
  const Shape in_strides = strides_of(input.shape());
  const Shape out_strides = strides_of(shape);
  StridedMove move;
  for (int i = 0; i < rank; ++i) {
    int64_t axis = attrs.perm ? (*attrs.perm)[static_cast<size_t>(i)] : rank - 1 - i;
    if (axis < 0) axis += rank;
    move.add(shape[i], out_strides[i], in_strides[static_cast<int>(axis)]);
  }
  Tensor& output = context.output(0);
  if (move.contiguous() && !conjugate) {
    output = input.view(shape);
    return;
  }
  output = Tensor::empty(input.dtype(), shape);
  move.run(input.dtype(), output.mutable_raw_data(), input.raw_data());
  if (!conjugate) return;
  if (input.dtype() == DType::kComplex64) {
    conjugate_in_place<Complex64>(output);
  } else {
    conjugate_in_place<Complex128>(output);
  }
}

void broadcast_to(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Shape& shape = context.spec(0).shape;
  const int64_t count = shape.num_elements();
  if (count >= kLazyElements && input.size() < count) {
    context.output(0) = make_lazy_broadcast(input, shape);
    if (context.output(0)) return;
  }
  context.output(0) = broadcast_now(input, shape);
}

Tensor broadcast_now(const Tensor& input, const Shape& shape) {
  const int64_t count = shape.num_elements();
  if (input.size() == count) return input.view(shape);
  Tensor output = Tensor::empty(input.dtype(), shape);
  if (input.size() == 1 && !owns_memory(input.dtype())) {
    fill_elements_parallel(output.mutable_raw_data(), input.raw_data(),
                           static_cast<int64_t>(element_size(input.dtype())), count);
    return output;
  }
  const Shape in_strides = strides_of(input.shape());
  const Shape out_strides = strides_of(shape);
  const int extra = shape.rank() - input.rank();
  StridedMove move;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool repeated = i < extra || input.dim(i - extra) != shape[i];
    move.add(shape[i], out_strides[i], repeated ? 0 : in_strides[i - extra]);
  }
  move.run(input.dtype(), output.mutable_raw_data(), input.raw_data());
  return output;
}

void tile(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Shape& shape = context.spec(0).shape;
  const Ints& multiples = context.attrs<ops::TileAttrs>().multiples;
  Tensor& output = context.output(0);
  if (input.shape() == shape) {
    output = input.alias();
    return;
  }
  output = Tensor::empty(input.dtype(), shape);
  const Shape in_strides = strides_of(input.shape());
  const Shape out_strides = strides_of(shape);
  StridedMove move;
  for (int i = 0; i < shape.rank(); ++i) {
    move.add(multiples[i], out_strides[i] * input.dim(i), 0);
    move.add(input.dim(i), out_strides[i], in_strides[i]);
  }
  move.run(input.dtype(), output.mutable_raw_data(), input.raw_data());
}

void reverse(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output(0);
  const int rank = input.rank();
  if (input.size() == 0) return;
  std::bitset<kMaxRank> backwards;
  for (int64_t axis : context.attrs<ops::ReverseAttrs>().axis) {
    if (rank == 0) break;
    backwards.set(static_cast<size_t>(axis < 0 ? axis + rank : axis));
  }
  const Shape strides = strides_of(input.shape());
  int64_t start = 0;
  StridedMove move;
  for (int i = 0; i < rank; ++i) {
    const bool turned = backwards[static_cast<size_t>(i)];
    if (turned) start += (input.dim(i) - 1) * strides[i];
    move.add(input.dim(i), strides[i], turned ? -strides[i] : strides[i]);
  }
  const auto* from = static_cast<const char*>(input.raw_data()) +
                     start * static_cast<int64_t>(element_size(input.dtype()));
  move.run(input.dtype(), output.mutable_raw_data(), from);
}

}  // namespace ef::cpu
