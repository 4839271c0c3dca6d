// Conversions between 16-bit floats and float.
#include "kernels/cpu/widen.h"

#include <algorithm>
#include <utility>

#include "device/parallel.h"
#include "kernels/cpu/elementwise_loops.h"

namespace ef::cpu {
namespace {

template <class From, class To>
void here(const From* in, To* out, int64_t count) {
  static const CastLoop loop =
      element_loops().cast[static_cast<int>(kDTypeOf<From>)][static_cast<int>(kDTypeOf<To>)];
  loop(out, in, count);
}

template <class From, class To>
void shared(const From* in, To* out, int64_t count) {
  parallel_for(count, 65'536,
               [&](int64_t begin, int64_t end) { here(in + begin, out + begin, end - begin); });
}

}  // namespace

void convert_here(const Half* in, float* out, int64_t count) { here(in, out, count); }
void convert_here(const Bfloat16* in, float* out, int64_t count) { here(in, out, count); }
void convert_here(const float* in, Half* out, int64_t count) { here(in, out, count); }
void convert_here(const float* in, Bfloat16* out, int64_t count) { here(in, out, count); }
void convert(const Half* in, float* out, int64_t count) { shared(in, out, count); }
void convert(const Bfloat16* in, float* out, int64_t count) { shared(in, out, count); }
void convert(const float* in, Half* out, int64_t count) { shared(in, out, count); }
void convert(const float* in, Bfloat16* out, int64_t count) { shared(in, out, count); }

namespace {

bool is_short(const Tensor& tensor) { return is_short_float(tensor.dtype()); }

void widen_into(const Tensor& from, int64_t offset, const Tensor& to) {
  float* const out = to.mutable_data<float>();
  if (from.dtype() == DType::kFloat16) {
    convert(from.data<Half>() + offset, out, to.size());
  } else {
    convert(from.data<Bfloat16>() + offset, out, to.size());
  }
}

void narrow_into(const Tensor& from, const Tensor& to, int64_t offset) {
  const float* const in = from.data<float>();
  if (to.dtype() == DType::kFloat16) {
    convert(in, to.mutable_data<Half>() + offset, from.size());
  } else {
    convert(in, to.mutable_data<Bfloat16>() + offset, from.size());
  }
}

Shape with_rows(Shape shape, int64_t rows) {
  shape[0] = rows;
  return shape;
}

// Runs the kernel on a range of rows of the leading axis, which has `rows` rows.
void run_rows(KernelContext& context, KernelFn kernel, int64_t rows, int64_t begin, int64_t count) {
  InlineVector<Tensor, 4> inputs;
  for (const Tensor& input : context.inputs()) {
    const int64_t offset = input.size() / rows * begin;
    const Shape shape = with_rows(input.shape(), count);
    if (!is_short(input)) {
      inputs.push_back(input.view_at(offset, shape));
      continue;
    }
    Tensor wide = Tensor::empty(DType::kFloat32, shape);
    widen_into(input, offset, wide);
    inputs.push_back(std::move(wide));
  }
  SpecList specs;
  TensorList outputs;
  for (int i = 0; i < context.num_outputs(); ++i) {
    const Tensor& output = context.output(i);
    const Shape shape = with_rows(output.shape(), count);
    const DType dtype = is_short(output) ? DType::kFloat32 : output.dtype();
    specs.push_back({dtype, shape});
    outputs.push_back(is_short(output) ? Tensor::empty(dtype, shape)
                                       : output.view_at(output.size() / rows * begin, shape));
  }
  KernelContext wide(context.op(), inputs, context.attrs(), specs, outputs);
  kernel(wide);
  for (int i = 0; i < context.num_outputs(); ++i) {
    const Tensor& output = context.output(i);
    if (is_short(output)) narrow_into(outputs[i], output, output.size() / rows * begin);
  }
}

}  // namespace

bool run_wide(KernelContext& context, KernelFn kernel) {
  if (std::ranges::none_of(context.inputs(), is_short)) return false;
  InlineVector<Tensor, 4> inputs;
  for (const Tensor& input : context.inputs()) {
    if (!is_short(input)) {
      inputs.push_back(input);
      continue;
    }
    Tensor wide = Tensor::empty(DType::kFloat32, input.shape());
    widen_into(input, 0, wide);
    inputs.push_back(std::move(wide));
  }
  SpecList specs;
  TensorList outputs;
  for (int i = 0; i < context.num_outputs(); ++i) {
    const TensorSpec& spec = context.spec(i);
    const bool narrow = is_short_float(spec.dtype);
    specs.push_back({narrow ? DType::kFloat32 : spec.dtype, spec.shape});
    outputs.push_back(narrow ? Tensor::empty(DType::kFloat32, spec.shape) : context.output(i));
  }
  KernelContext wide(context.op(), inputs, context.attrs(), specs, outputs);
  kernel(wide);
  for (int i = 0; i < context.num_outputs(); ++i) {
    if (is_short(context.output(i))) narrow_into(outputs[i], context.output(i), 0);
  }
  return true;
}

bool run_wide_by_rows(KernelContext& context, KernelFn kernel) {
  if (std::ranges::none_of(context.inputs(), is_short)) return false;
  const Tensor& first = context.input(0);
  const int64_t rows = first.rank() < 2 ? 0 : first.dim(0);
  const auto has_rows = [=](const Tensor& tensor) {
    return tensor.rank() > 0 && tensor.dim(0) == rows;
  };
  bool apart = rows > 1 && std::ranges::all_of(context.inputs(), has_rows);
  for (int i = 0; i < context.num_outputs(); ++i) apart &= has_rows(context.output(i));
  if (!apart || first.size() == 0) return run_wide(context, kernel);
  // A thread converts, computes and converts back this number of elements while they are in its
  // cache.
  constexpr int64_t kElements = 16'384;
  const int64_t together = std::max<int64_t>(1, kElements * rows / first.size());
  parallel_for(rows, together, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += together) {
      run_rows(context, kernel, rows, row, std::min(together, end - row));
    }
  });
  return true;
}

}  // namespace ef::cpu
