// Gradients of unary functions as operations of their own, each computed in one step.
#include "kernels/cpu/elementwise.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"

namespace ef::ops {
namespace {

using cpu::Binary;

// The tensors that the gradients of (y, dy) → dy * slope(y), with respect to y and dy, read.
const std::vector<Need> kBothForY = {kBothInputs, kInput};

}  // namespace

const Op sqrt_grad{{
    .name = "sqrt_grad",
    .tf_name = "SqrtGrad",
    .inputs = {{"y", kInexactTypes}, {"dy", kInexactTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kSqrtGrad>,
    .gradient =
        [](GradContext& g) {
          const Tensor scaled = g.dy() / g.input(0);
          if (g.wants(0)) g.set(0, -conjugate(scaled) * g.output(0));
          if (g.wants(1)) g.set(1, scaled * 0.5);
        },
    .needs = {{1, 1}, {1, 0}},
    .doc = "Returns dy / (2 conj(y)): the gradient of y = sqrt(x). Both have one shape.\n",
}};

const Op rsqrt_grad{{
    .name = "rsqrt_grad",
    .tf_name = "RsqrtGrad",
    .inputs = {{"y", kInexactTypes}, {"dy", kInexactTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kRsqrtGrad>,
    .gradient =
        [](GradContext& g) {
          const Tensor y = conjugate(g.input(0));
          if (g.wants(0)) {
            g.set(0, conjugate(g.dy()) * g.input(1) * call(square, {y}) * -1.5);
          }
          if (g.wants(1)) g.set(1, call(rsqrt_grad, {y, g.dy()}));
        },
    .needs = kBothForY,
    .doc = "Returns -dy conj(y)^3 / 2: the gradient of y = 1 / sqrt(x). Both have one shape.\n",
}};

const Op reciprocal_grad{{
    .name = "reciprocal_grad",
    .tf_name = "ReciprocalGrad",
    .inputs = {{"y", kInexactTypes}, {"dy", kInexactTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kReciprocalGrad>,
    .gradient =
        [](GradContext& g) {
          const Tensor y = conjugate(g.input(0));
          if (g.wants(0)) g.set(0, conjugate(g.dy()) * g.input(1) * y * -2);
          if (g.wants(1)) g.set(1, call(reciprocal_grad, {y, g.dy()}));
        },
    .needs = kBothForY,
    .doc = "Returns -dy conj(y)^2: the gradient of y = 1 / x. Both have one shape.\n",
}};

const Op tanh_grad{{
    .name = "tanh_grad",
    .tf_name = "TanhGrad",
    .inputs = {{"y", kInexactTypes}, {"dy", kInexactTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kTanhGrad>,
    .gradient =
        [](GradContext& g) {
          const Tensor y = conjugate(g.input(0));
          if (g.wants(0)) g.set(0, g.dy() * conjugate(g.input(1)) * y * -2);
          if (g.wants(1)) g.set(1, call(tanh_grad, {y, g.dy()}));
        },
    .needs = kBothForY,
    .doc = "Returns dy (1 - y^2): the gradient of y = tanh(x). Both have one shape.\n",
}};

const Op sigmoid_grad{{
    .name = "sigmoid_grad",
    .tf_name = "SigmoidGrad",
    .inputs = {{"y", kInexactTypes}, {"dy", kInexactTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kSigmoidGrad>,
    .gradient =
        [](GradContext& g) {
          const Tensor y = conjugate(g.input(0));
          if (g.wants(0)) {
            const Tensor both = g.dy() * conjugate(g.input(1));
            g.set(0, both - (both + both) * y);
          }
          if (g.wants(1)) g.set(1, call(sigmoid_grad, {y, g.dy()}));
        },
    .needs = kBothForY,
    .doc = "Returns dy y (1 - y): the gradient of y = sigmoid(x). Both have one shape.\n",
}};

}  // namespace ef::ops
