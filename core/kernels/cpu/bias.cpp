// Adds a bias per channel, and sums over all other axes, for both layouts of channels.
#include "kernels/cpu/bias.h"

#include "kernels/cpu/elementwise.h"
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
  inner.run();
}

void run_bias_add(KernelContext& context) {
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

// If the channels are the last axis, this is the broadcasting addition.
ElementLoop bias_elements(const ElementCall& call) {
  if (call.attrs.as<ops::BiasAttrs>().data_format != DataFormat::kNhwc) return {};
  return binary_elements(call, Binary::kAdd);
}

}  // namespace

constinit const Kernel bias_add{run_bias_add, bias_elements};

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
