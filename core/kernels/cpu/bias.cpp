// Biases per channel: by the broadcasting addition and the reduction, in the channels' layout.
#include "kernels/cpu/bias.h"

#include "eager/lazy.h"
#include "ops/bias.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/window.h"

namespace ef::cpu {
namespace {

// Runs another operation's kernel into this call's output.
void delegate(KernelContext& context, const Op& op, std::span<const Tensor> inputs,
              AttrsRef attrs) {
  SpecList specs;
  specs.push_back(context.spec(0));
  TensorList outputs{context.output(0)};
  KernelContext inner(op, inputs, attrs, specs, outputs);
  op.kernel(inner);
}

}  // namespace

void bias_add(KernelContext& context) {
  const Tensor& value = context.input(0);
  Tensor bias = context.input(1);
  if (context.attrs<ops::BiasAttrs>().data_format != DataFormat::kNhwc) {
    Shape shape;
    shape.push_back(bias.dim(0));
    for (int i = 2; i < value.rank(); ++i) shape.push_back(1);
    bias = bias.view(shape);
  }
  const Tensor inputs[] = {value, bias};
  delegate(context, ops::add, inputs, {});
}

std::optional<LazyBias> lazy_bias(const Tensor& tensor) {
  const std::optional<LazyCall> call = lazy_call(tensor);
  if (!call || call->op != &ops::bias_add ||
      call->attrs.as<ops::BiasAttrs>().data_format != DataFormat::kNhwc) {
    return std::nullopt;
  }
  return LazyBias{call->inputs[0], call->inputs[1]};
}

void bias_add_grad(KernelContext& context) {
  const Tensor& dy = context.input(0);
  const int channel = context.attrs<ops::BiasAttrs>().channel_axis(dy.rank());
  Ints axes;
  for (int i = 0; i < dy.rank(); ++i) {
    if (i != channel) axes.push_back(i);
  }
  const Tensor inputs[] = {dy};
  delegate(context, ops::reduce_sum, inputs, ops::ReduceAttrs{.axis = axes});
}

}  // namespace ef::cpu
