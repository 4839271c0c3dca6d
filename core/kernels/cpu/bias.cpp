// Biases per channel: by the broadcasting addition and the reduction, with the channels' layout.
#include "kernels/cpu/bias.h"

#include "eager/lazy.h"
#include "ops/bias.h"
#include "ops/elementwise.h"
#include "ops/reduction.h"
#include "ops/window.h"

namespace ef::cpu {
namespace {

bool channels_last(const Attrs& attrs) {
  return static_cast<DataFormat>(attrs.integer(0)) == DataFormat::kNhwc;
}

// Runs another operation's kernel into this call's output.
void delegate(KernelContext& context, const Op& op, std::span<const Tensor> inputs,
              const Attrs& attrs) {
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
  if (!channels_last(context.attrs())) {
    Shape shape;
    shape.push_back(bias.dim(0));
    for (int i = 2; i < value.rank(); ++i) shape.push_back(1);
    bias = bias.view(shape);
  }
  const Tensor inputs[] = {value, bias};
  const Attrs none{};
  delegate(context, ops::add, inputs, none);
}

std::optional<LazyBias> lazy_bias(const Tensor& tensor) {
  const std::optional<LazyCall> call = lazy_call(tensor);
  if (!call || call->op != &ops::bias_add || !channels_last(call->attrs)) return std::nullopt;
  return LazyBias{call->inputs[0], call->inputs[1]};
}

void bias_add_grad(KernelContext& context) {
  const Tensor& dy = context.input(0);
  const int channel = channels_last(context.attrs()) ? dy.rank() - 1 : 1;
  InlineVector<int64_t, kInlineRank> axes;
  for (int i = 0; i < dy.rank(); ++i) {
    if (i != channel) axes.push_back(i);
  }
  const Tensor inputs[] = {dy};
  Attrs attrs;
  attrs.list(axes).flag(false);
  delegate(context, ops::reduce_sum, inputs, attrs);
}

}  // namespace ef::cpu
