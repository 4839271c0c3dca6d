// 16-bit floats to float and back.
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

bool run_wide(KernelContext& context, KernelFn kernel) {
  const auto is_short = [](const Tensor& input) { return is_short_float(input.dtype()); };
  if (std::ranges::none_of(context.inputs(), is_short)) return false;
  InlineVector<Tensor, 4> inputs;
  for (const Tensor& input : context.inputs()) {
    if (!is_short_float(input.dtype())) {
      inputs.push_back(input);
      continue;
    }
    Tensor wide = Tensor::empty(DType::kFloat32, input.shape());
    float* const to = wide.mutable_data<float>();
    if (input.dtype() == DType::kFloat16) {
      convert(input.data<Half>(), to, input.size());
    } else {
      convert(input.data<Bfloat16>(), to, input.size());
    }
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
    const Tensor& output = context.output(i);
    if (output.dtype() == DType::kFloat16) {
      convert(outputs[i].data<float>(), output.mutable_data<Half>(), output.size());
    } else if (output.dtype() == DType::kBfloat16) {
      convert(outputs[i].data<float>(), output.mutable_data<Bfloat16>(), output.size());
    }
  }
  return true;
}

}  // namespace ef::cpu
