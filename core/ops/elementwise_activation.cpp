// Activation functions of neural networks, and their gradients.
#include "kernels/cpu/elementwise.h"
#include "ops/attr_fields.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

using cpu::Binary;
using cpu::Unary;

constexpr Need kSecondInput{2, 0};

// The second derivative of a function whose slope is constant almost everywhere: zero.
Tensor flat(GradContext& g) { return ef::zeros_like(g.dy()); }

// The second derivative of gelu, with the constants of its kernel.
Tensor gelu_curvature(const Tensor& x, bool approximate) {
  constexpr double kInverseWidth = 0.70710678118654752440f;  // sqrt(1 / 2)
  constexpr double kRate = 0.79788456080286535588;           // sqrt(2 / pi)
  constexpr double kCubic = 0.044715f;
  constexpr double kRootPi = 1.77245385090551602730;
  const Tensor squared = x * x;
  if (!approximate) {
    const Tensor scaled = squared * (kInverseWidth * kInverseWidth);
    return call(exp, {-scaled}) * (1 - scaled) * (2 * kInverseWidth / kRootPi);
  }
  const Tensor t = call(tanh, {x * (squared * kCubic + 1) * kRate});
  const Tensor slope = (squared * (3 * kCubic) + 1) * kRate;
  const Tensor bend = x * (6 * kCubic * kRate);
  const Tensor t_slope = 1 - t * t;
  return t_slope * (slope + x * (bend * 0.5 - t * slope * slope));
}

}  // namespace

const Op relu{{
    .name = "relu",
    .tf_name = "Relu",
    .inputs = {{"features", kRealTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kRelu>,
    .gradient = [](GradContext& g) { g.set(0, call_reusing(relu_grad, g.take_dy(), g.output(0))); },
    .needs = {kOutput},
    .promotion = Promotion::kNone,
    .of_sparse_values = true,
    .doc = R"(Returns max(features, 0), element by element; NaN stays NaN.

Real dtypes. The gradient at 0 is 0. The result has the dtype and shape of features. Raises
InvalidArgumentError for other dtypes.

>>> tf.nn.relu([-1.5, 0.0, 2.5]).numpy()
array([0. , 0. , 2.5], dtype=float32)
)",
}};

const Op relu_grad{{
    .name = "relu_grad",
    .tf_name = "ReluGrad",
    .inputs = {{"gradients", kFloatTypes}, {"features", kFloatTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kReluGrad>,
    .gradient =
        [](GradContext& g) {
          if (g.wants(0)) g.set(0, call(relu_grad, {g.dy(), g.input(1)}));
          if (g.wants(1)) g.set(1, flat(g));
        },
    .needs = {kSecondInput, kNothing},
    .doc =
        "Returns the gradients where features, or relu(features), are positive, and 0 elsewhere.\n",
}};

const Op relu6{{
    .name = "relu6",
    .tf_name = "Relu6",
    .inputs = {{"features", kRealTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kRelu6>,
    .gradient =
        [](GradContext& g) { g.set(0, call_reusing(relu6_grad, g.take_dy(), g.output(0))); },
    .needs = {kOutput},
    .of_sparse_values = true,
    .doc = R"(Returns min(max(features, 0), 6), element by element; NaN stays NaN.

Real dtypes. The gradient at 0 and 6 is 0. The result has the dtype and shape of features. Raises
InvalidArgumentError for other dtypes.

>>> tf.nn.relu6([-1.0, 3.0, 8.0]).numpy()
array([0., 3., 6.], dtype=float32)
)",
}};

const Op relu6_grad{{
    .name = "relu6_grad",
    .tf_name = "Relu6Grad",
    .inputs = {{"gradients", kFloatTypes}, {"features", kFloatTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kRelu6Grad>,
    .gradient =
        [](GradContext& g) {
          if (g.wants(0)) g.set(0, call(relu6_grad, {g.dy(), g.input(1)}));
          if (g.wants(1)) g.set(1, flat(g));
        },
    .needs = {kSecondInput, kNothing},
    .doc = "Returns the gradients where features lie between 0 and 6, and 0 elsewhere.\n",
}};

const Op leaky_relu{{
    .name = "leaky_relu",
    .tf_name = "LeakyRelu",
    .inputs = {{.name = "features",
                .dtypes = kFloatTypes,
                .converts = Converts::kAlone,
                .prefer = DType::kFloat32}},
    .attrs = attrs_of<LeakyReluAttrs>(),
    .infer = unary_infer,
    .kernel = cpu::leaky_relu,
    .gradient =
        [](GradContext& g) {
          g.set(0, call_reusing(leaky_relu_grad, g.take_dy(), g.input(0), g.attrs()));
        },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns features where they are positive, and alpha * features elsewhere.

Floating dtypes. The gradient at 0 is alpha. The result has the dtype and shape of features. Raises
InvalidArgumentError for other dtypes.

>>> tf.nn.leaky_relu([-2.0, 3.0], alpha=0.5).numpy()
array([-1.,  3.], dtype=float32)
)",
}};

const Op leaky_relu_grad{{
    .name = "leaky_relu_grad",
    .tf_name = "LeakyReluGrad",
    .inputs = {{"gradients", kFloatTypes}, {"features", kFloatTypes}},
    .attrs = attrs_of<LeakyReluAttrs>(),
    .infer = same_shape_infer,
    .kernel = cpu::leaky_relu_grad,
    .gradient =
        [](GradContext& g) {
          if (g.wants(0)) g.set(0, call(leaky_relu_grad, {g.dy(), g.input(1)}, g.attrs()));
          if (g.wants(1)) g.set(1, flat(g));
        },
    .needs = {kSecondInput, kNothing},
    .doc = "Returns the gradients, multiplied by alpha where features are not positive.\n",
}};

const Op elu{{
    .name = "elu",
    .tf_name = "Elu",
    .inputs = {{"features", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kElu>,
    .gradient = [](GradContext& g) { g.set(0, call_reusing(elu_grad, g.take_dy(), g.output(0))); },
    .needs = {kOutput},
    .promotion = Promotion::kNone,
    .of_sparse_values = true,
    .doc = R"(Returns features where they are positive, and exp(features) - 1 elsewhere.

Floating dtypes. Clevert et al., "Fast and Accurate Deep Network Learning by Exponential Linear
Units" (2015). The result has the dtype and shape of features. Raises InvalidArgumentError for other
dtypes.

>>> tf.nn.elu([2.0, -float('inf')]).numpy()
array([ 2., -1.], dtype=float32)
)",
}};

const Op elu_grad{{
    .name = "elu_grad",
    .tf_name = "EluGrad",
    .inputs = {{"gradients", kFloatTypes}, {"outputs", kFloatTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kEluGrad>,
    .gradient =
        [](GradContext& g) {
          if (g.wants(0)) g.set(0, call(elu_grad, {g.dy(), g.input(1)}));
          if (g.wants(1)) {
            const Tensor nil = Tensor::scalar(g.input_dtype(1), 0);
            g.set(1, ef::select(call(less, {g.input(1), nil}), g.dy() * g.input(0), nil));
          }
        },
    .needs = {kSecondInput, kBothInputs},
    .doc = "Returns the gradients, multiplied by outputs + 1 where outputs of elu are negative.\n",
}};

const Op selu{{
    .name = "selu",
    .tf_name = "Selu",
    .inputs = {{"features", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSelu>,
    .gradient = [](GradContext& g) { g.set(0, call_reusing(selu_grad, g.take_dy(), g.output(0))); },
    .needs = {kOutput},
    .promotion = Promotion::kNone,
    .of_sparse_values = true,
    .doc = R"(Returns scale * elu(features, alpha), with scale 1.0507 and alpha 1.6733.

Floating dtypes. Klambauer et al., "Self-Normalizing Neural Networks" (2017). The result has the
dtype and shape of features. Raises InvalidArgumentError for other dtypes.

>>> tf.nn.selu([0.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op selu_grad{{
    .name = "selu_grad",
    .tf_name = "SeluGrad",
    .inputs = {{"gradients", kFloatTypes}, {"outputs", kFloatTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kSeluGrad>,
    .gradient =
        [](GradContext& g) {
          if (g.wants(0)) g.set(0, call(selu_grad, {g.dy(), g.input(1)}));
          if (g.wants(1)) {
            const Tensor nil = Tensor::scalar(g.input_dtype(1), 0);
            g.set(1, ef::select(call(less, {g.input(1), nil}), g.dy() * g.input(0), nil));
          }
        },
    .needs = {kSecondInput, kBothInputs},
    .doc = "Returns the gradients times the slope of selu, found from its outputs.\n",
}};

const Op softplus{{
    .name = "softplus",
    .tf_name = "Softplus",
    .inputs = {{"features", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSoftplus>,
    .gradient =
        [](GradContext& g) { g.set(0, call_reusing(softplus_grad, g.take_dy(), g.input(0))); },
    .needs = {kInput},
    .doc = R"(Returns log(exp(features) + 1), without overflow.

Floating dtypes. The result has the dtype and shape of features. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.softplus([-200.0, 100.0]).numpy()
array([  0., 100.], dtype=float32)
)",
}};

const Op softplus_grad{{
    .name = "softplus_grad",
    .tf_name = "SoftplusGrad",
    .inputs = {{"gradients", kFloatTypes}, {"features", kFloatTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kSoftplusGrad>,
    .gradient =
        [](GradContext& g) {
          if (g.wants(0)) g.set(0, call(softplus_grad, {g.dy(), g.input(1)}));
          if (g.wants(1))
            g.set(1, call(sigmoid_grad, {call(sigmoid, {g.input(1)}), g.dy() * g.input(0)}));
        },
    .needs = {kSecondInput, kBothInputs},
    .doc = "Returns gradients * sigmoid(features).\n",
}};

const Op softsign{{
    .name = "softsign",
    .tf_name = "Softsign",
    .inputs = {{"features", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSoftsign>,
    .gradient =
        [](GradContext& g) { g.set(0, call_reusing(softsign_grad, g.take_dy(), g.input(0))); },
    .needs = {kInput},
    .promotion = Promotion::kNone,
    .of_sparse_values = true,
    .doc = R"(Returns features / (1 + |features|).

Floating dtypes. The result has the dtype and shape of features. Raises InvalidArgumentError for
other dtypes.

>>> tf.nn.softsign([1.0, -3.0]).numpy()
array([ 0.5 , -0.75], dtype=float32)
)",
}};

const Op softsign_grad{{
    .name = "softsign_grad",
    .tf_name = "SoftsignGrad",
    .inputs = {{"gradients", kFloatTypes}, {"features", kFloatTypes}},
    .infer = same_shape_infer,
    .kernel = cpu::binary<Binary::kSoftsignGrad>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(1);
          if (g.wants(0)) g.set(0, call(softsign_grad, {g.dy(), x}));
          if (g.wants(1)) {
            const Tensor twice = call(softsign_grad, {g.dy() * g.input(0), x}) * -2;
            g.set(1, twice * call(sign, {x}) / (call(abs, {x}) + 1));
          }
        },
    .needs = {kSecondInput, kBothInputs},
    .doc = "Returns gradients / (1 + |features|)^2.\n",
}};

const Op gelu{{
    .name = "gelu",
    .tf_name = "Gelu",
    .inputs = {{"features", kFloatTypes}},
    .attrs = attrs_of<GeluAttrs>(),
    .infer = unary_infer,
    .kernel = cpu::gelu,
    .gradient =
        [](GradContext& g) {
          g.set(0, call_reusing(gelu_grad, g.take_dy(), g.input(0), g.attrs()));
        },
    .needs = {kInput},
    .doc = R"(Returns features times the normal distribution function of features.

Floating dtypes. If approximate, the distribution function is (1 + tanh(sqrt(2 / pi) (x + 0.044715
x^3))) / 2. Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016). The result has the dtype and
shape of features. Raises InvalidArgumentError for other dtypes.

>>> tf.nn.gelu([0.0, 10.0]).numpy()
array([ 0., 10.], dtype=float32)
)",
}};

const Op gelu_grad{{
    .name = "gelu_grad",
    .tf_name = "GeluGrad",
    .inputs = {{"gradients", kFloatTypes}, {"features", kFloatTypes}},
    .attrs = attrs_of<GeluAttrs>(),
    .infer = same_shape_infer,
    .kernel = cpu::gelu_grad,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(1);
          if (g.wants(0)) g.set(0, call(gelu_grad, {g.dy(), x}, g.attrs()));
          if (g.wants(1))
            g.set(1, g.dy() * g.input(0) * gelu_curvature(x, g.attrs<GeluAttrs>().approximate));
        },
    .needs = {kSecondInput, kBothInputs},
    .doc = "Returns the gradients times the slope of gelu at the features.\n",
}};

}  // namespace ef::ops
