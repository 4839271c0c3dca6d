// Functions of one operand.
#include "kernels/cpu/elementwise.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"

namespace ef::ops {
namespace {

using cpu::Unary;

constexpr DTypeSet kSignedTypes = kInexactTypes | kSignedIntTypes;
constexpr double kTwoOverRootPi = 1.12837916709551257390;

void abs_infer(InferContext& c) { c.add_output(real_dtype(c.dtype(0)), c.shape(0)); }

// The gradient of |x| points from 0 to x: x / |x|.
void complex_abs_gradient(GradContext& g) {
  const auto as_complex = [](const Tensor& t) {
    return call(complex, {t, Tensor::scalar(t.dtype(), 0)});
  };
  const Tensor numerator = as_complex(g.dy()) * g.input(0);
  g.set(0, call(divide_no_nan, {numerator, as_complex(call(abs, {g.input(0)}))}));
}

// 1 / sqrt(1 - x^2): the slope of asin.
Tensor arc_slope(GradContext& g) {
  const Tensor squared = call(square, {conjugate(g.input(0))});
  return call(reciprocal, {call(sqrt, {1 - squared})});
}

// factor * exp(-x^2)
Tensor gaussian(const Tensor& x, double factor) { return call(exp, {-call(square, {x})}) * factor; }

// polygamma supports only float32 and float64.
Tensor polygamma_of_order_one(const Tensor& x) {
  const DType type = x.dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  return call(polygamma, {Tensor::scalar(type, 1), cast_to(x, type)});
}

}  // namespace

const Op negative{{
    .name = "negative",
    .tf_name = "Neg",
    .stablehlo = "stablehlo.negate",
    .inputs = {{"x", kSignedTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kNegative>,
    .gradient = [](GradContext& g) { g.set(0, -g.dy()); },
    .needs = {kNothing},
    .of_sparse_values = true,
    .doc = R"(Returns -x, element by element.

Floating, complex or signed integer dtypes. The result has the dtype and shape of x. Raises
InvalidArgumentError for other dtypes.

>>> tf.negative([1.0, -2.5]).numpy()
array([-1. ,  2.5], dtype=float32)
)",
}};

const Op abs{{
    .name = "abs",
    .tf_name = "Abs",
    .inputs = {{"x", kSignedTypes}},
    .infer = abs_infer,
    .kernel = cpu::unary<Unary::kAbs>,
    .gradient =
        [](GradContext& g) {
          if (is_complex(g.input_dtype(0))) return complex_abs_gradient(g);
          g.set(0, g.dy() * call(sign, {g.input(0)}));
        },
    .needs = {kInput},
    .elementwise = true,
    .of_sparse_values = true,
    .doc = R"(Returns the absolute value, element by element; of complex numbers the magnitude.

Floating, complex or signed integer dtypes. The result has the shape of x, and its dtype, or the
matching real one. The gradient at 0 is 0. Raises InvalidArgumentError for other dtypes.

>>> tf.abs([1.5, -2.5]).numpy()
array([1.5, 2.5], dtype=float32)
)",
}};

const Op sign{{
    .name = "sign",
    .tf_name = "Sign",
    .inputs = {{"x", kSignedTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSign>,
    .gradient = [](GradContext& g) { g.set(0, ef::zeros_like(g.dy())); },
    .needs = {kNothing},
    .of_sparse_values = true,
    .doc = R"(Returns -1, 0 or 1 with the sign of x; x / |x| of complex numbers, and NaN of NaN.

Floating, complex or signed integer dtypes. The gradient is 0. The result has the dtype and shape of
x. Raises InvalidArgumentError for other dtypes.

>>> tf.sign([1.5, -2.5, 0.0]).numpy()
array([ 1., -1.,  0.], dtype=float32)
)",
}};

const Op square{{
    .name = "square",
    .tf_name = "Square",
    .inputs = {{"x", kNumericTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSquare>,
    .gradient =
        [](GradContext& g) {
          const Tensor x = conjugate(g.input(0));
          g.set(0, g.dy() * (x + x));
        },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns x * x, element by element.

Numeric dtypes; integers wrap around. The result has the dtype and shape of x. Raises
InvalidArgumentError for other dtypes.

>>> tf.square([3.0, -2.0]).numpy()
array([9., 4.], dtype=float32)
)",
}};

const Op sqrt{{
    .name = "sqrt",
    .tf_name = "Sqrt",
    .stablehlo = "stablehlo.sqrt",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSqrt>,
    .gradient = [](GradContext& g) { g.set(0, call(sqrt_grad, {g.output(0), g.dy()})); },
    .needs = {kOutput},
    .of_sparse_values = true,
    .doc = R"(Returns the square root, element by element; NaN of negative reals.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.sqrt([9.0, 4.0]).numpy()
array([3., 2.], dtype=float32)
)",
}};

const Op rsqrt{{
    .name = "rsqrt",
    .tf_name = "Rsqrt",
    .stablehlo = "stablehlo.rsqrt",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kRsqrt>,
    .gradient = [](GradContext& g) { g.set(0, call(rsqrt_grad, {g.output(0), g.dy()})); },
    .needs = {kOutput},
    .doc = R"(Returns 1 / sqrt(x), element by element.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.rsqrt([0.25, 4.0]).numpy()
array([2. , 0.5], dtype=float32)
)",
}};

const Op reciprocal{{
    .name = "reciprocal",
    .tf_name = "Reciprocal",
    .inputs = {{.name = "x", .dtypes = kInexactTypes, .no_kernel = kSignedIntTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kReciprocal>,
    .gradient = [](GradContext& g) { g.set(0, call(reciprocal_grad, {g.output(0), g.dy()})); },
    .needs = {kOutput},
    .doc = R"(Returns 1 / x, element by element.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.reciprocal([0.25, 4.0]).numpy()
array([4.  , 0.25], dtype=float32)
)",
}};

const Op exp{{
    .name = "exp",
    .tf_name = "Exp",
    .stablehlo = "stablehlo.exponential",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kExp>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * conjugate(g.output(0))); },
    .needs = {kOutput},
    .doc = R"(Returns e to the power of x, element by element.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.exp([0.0, float('inf')]).numpy()
array([ 1., inf], dtype=float32)
)",
}};

const Op expm1{{
    .name = "expm1",
    .tf_name = "Expm1",
    .stablehlo = "stablehlo.exponential_minus_one",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kExpm1>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * call(exp, {conjugate(g.input(0))})); },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns exp(x) - 1, exact for small x as well.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.expm1([0.0, 1e-10]).numpy()
array([0.e+00, 1.e-10], dtype=float32)
)",
}};

const Op log{{
    .name = "log",
    .tf_name = "Log",
    .stablehlo = "stablehlo.log",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kLog>,
    .gradient =
        [](GradContext& g) { g.set(0, g.dy() * call(reciprocal, {conjugate(g.input(0))})); },
    .needs = {kInput},
    .doc = R"(Returns the natural logarithm, element by element; NaN of negative reals.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.log([1.0, 0.0]).numpy()
array([  0., -inf], dtype=float32)
)",
}};

const Op log1p{{
    .name = "log1p",
    .tf_name = "Log1p",
    .stablehlo = "stablehlo.log_plus_one",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kLog1p>,
    .gradient =
        [](GradContext& g) { g.set(0, g.dy() * call(reciprocal, {conjugate(g.input(0)) + 1})); },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns log(1 + x), exact for small x as well.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.log1p([0.0, 1e-10]).numpy()
array([0.e+00, 1.e-10], dtype=float32)
)",
}};

const Op sin{{
    .name = "sin",
    .tf_name = "Sin",
    .stablehlo = "stablehlo.sine",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSin>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * call(cos, {conjugate(g.input(0))})); },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns the sine of x in radians.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.sin([0.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op cos{{
    .name = "cos",
    .tf_name = "Cos",
    .stablehlo = "stablehlo.cosine",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kCos>,
    .gradient = [](GradContext& g) { g.set(0, -g.dy() * call(sin, {conjugate(g.input(0))})); },
    .needs = {kInput},
    .doc = R"(Returns the cosine of x in radians.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.cos([0.0]).numpy()
array([1.], dtype=float32)
)",
}};

const Op tan{{
    .name = "tan",
    .tf_name = "Tan",
    .stablehlo = "stablehlo.tan",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kTan>,
    .gradient =
        [](GradContext& g) {
          const Tensor secant = call(reciprocal, {call(cos, {conjugate(g.input(0))})});
          g.set(0, call(square, {secant}) * g.dy());
        },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns the tangent of x in radians.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.tan([0.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op asin{{
    .name = "asin",
    .tf_name = "Asin",
    .stablehlo = "chlo.asin",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kAsin>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * arc_slope(g)); },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns the angle in radians whose sine is x; NaN of reals outside [-1, 1].

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.asin([0.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op acos{{
    .name = "acos",
    .tf_name = "Acos",
    .stablehlo = "chlo.acos",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kAcos>,
    .gradient = [](GradContext& g) { g.set(0, -g.dy() * arc_slope(g)); },
    .needs = {kInput},
    .doc = R"(Returns the angle in radians whose cosine is x; NaN of reals outside [-1, 1].

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.acos([1.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op atan{{
    .name = "atan",
    .tf_name = "Atan",
    .stablehlo = "chlo.atan",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kAtan>,
    .gradient =
        [](GradContext& g) {
          const Tensor squared = call(square, {conjugate(g.input(0))});
          g.set(0, g.dy() * call(reciprocal, {squared + 1}));
        },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns the angle in radians, between -pi/2 and pi/2, whose tangent is x.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.atan([0.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op sinh{{
    .name = "sinh",
    .tf_name = "Sinh",
    .stablehlo = "chlo.sinh",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSinh>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * call(cosh, {conjugate(g.input(0))})); },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns the hyperbolic sine.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.sinh([0.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op cosh{{
    .name = "cosh",
    .tf_name = "Cosh",
    .stablehlo = "chlo.cosh",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kCosh>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * call(sinh, {conjugate(g.input(0))})); },
    .needs = {kInput},
    .doc = R"(Returns the hyperbolic cosine.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.cosh([0.0]).numpy()
array([1.], dtype=float32)
)",
}};

const Op tanh{{
    .name = "tanh",
    .tf_name = "Tanh",
    .stablehlo = "stablehlo.tanh",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kTanh>,
    .gradient = [](GradContext& g) { g.set(0, call(tanh_grad, {conjugate(g.output(0)), g.dy()})); },
    .needs = {kOutput},
    .of_sparse_values = true,
    .doc = R"(Returns the hyperbolic tangent.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.tanh([0.0, 20.0]).numpy()
array([0., 1.], dtype=float32)
)",
}};

const Op asinh{{
    .name = "asinh",
    .tf_name = "Asinh",
    .stablehlo = "chlo.asinh",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kAsinh>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() / call(cosh, {conjugate(g.output(0))})); },
    .needs = {kOutput},
    .of_sparse_values = true,
    .doc = R"(Returns the inverse hyperbolic sine.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.asinh([0.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op acosh{{
    .name = "acosh",
    .tf_name = "Acosh",
    .stablehlo = "chlo.acosh",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kAcosh>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() / call(sinh, {conjugate(g.output(0))})); },
    .needs = {kOutput},
    .doc = R"(Returns the inverse hyperbolic cosine; NaN of reals below 1.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.acosh([1.0]).numpy()
array([0.], dtype=float32)
)",
}};

const Op atanh{{
    .name = "atanh",
    .tf_name = "Atanh",
    .stablehlo = "chlo.atanh",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kAtanh>,
    .gradient =
        [](GradContext& g) {
          const Tensor squared = call(square, {conjugate(g.input(0))});
          g.set(0, g.dy() * call(reciprocal, {1 - squared}));
        },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns the inverse hyperbolic tangent; NaN of reals outside [-1, 1].

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.atanh([0.0, 1.0]).numpy()
array([ 0., inf], dtype=float32)
)",
}};

const Op sigmoid{{
    .name = "sigmoid",
    .tf_name = "Sigmoid",
    .stablehlo = "stablehlo.logistic",
    .inputs = {{"x", kInexactTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSigmoid>,
    .gradient =
        [](GradContext& g) { g.set(0, call(sigmoid_grad, {conjugate(g.output(0)), g.dy()})); },
    .needs = {kOutput},
    .doc = R"(Returns 1 / (1 + exp(-x)), element by element.

Floating or complex dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.sigmoid([0.0, 30.0]).numpy()
array([0.5, 1. ], dtype=float32)
)",
}};

const Op erf{{
    .name = "erf",
    .tf_name = "Erf",
    .stablehlo = "chlo.erf",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kErf>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * gaussian(g.input(0), kTwoOverRootPi)); },
    .needs = {kInput},
    .of_sparse_values = true,
    .doc = R"(Returns the error function, element by element.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> tf.math.erf([0.0, 5.0]).numpy()
array([0., 1.], dtype=float32)
)",
}};

const Op erfc{{
    .name = "erfc",
    .tf_name = "Erfc",
    .stablehlo = "chlo.erfc",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kErfc>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * gaussian(g.input(0), -kTwoOverRootPi)); },
    .needs = {kInput},
    .doc = R"(Returns 1 - erf(x), exact for large x as well.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> tf.math.erfc([0.0]).numpy()
array([1.], dtype=float32)
)",
}};

const Op erfinv{{
    .name = "erfinv",
    .tf_name = "Erfinv",
    .stablehlo = "chlo.erf_inv",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kErfinv>,
    .gradient =
        [](GradContext& g) {
          g.set(0, g.dy() * (call(exp, {call(square, {g.output(0)})}) * (1 / kTwoOverRootPi)));
        },
    .needs = {kOutput},
    .doc = R"(Returns the inverse of the error function; NaN outside [-1, 1].

Floating dtypes. Giles, "Approximating the erfinv function" (2011), refined. The result has the
dtype and shape of x. Raises InvalidArgumentError for other dtypes.

>>> tf.math.erfinv([0.0, 1.0]).numpy()
array([ 0., inf], dtype=float32)
)",
}};

const Op lgamma{{
    .name = "lgamma",
    .tf_name = "Lgamma",
    .stablehlo = "chlo.lgamma",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kLgamma>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * call(digamma, {g.input(0)})); },
    .needs = {kInput},
    .doc = R"(Returns the logarithm of the absolute value of the gamma function.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> tf.math.lgamma([1.0, 2.0]).numpy()
array([0., 0.], dtype=float32)
)",
}};

const Op digamma{{
    .name = "digamma",
    .tf_name = "Digamma",
    .stablehlo = "chlo.digamma",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kDigamma>,
    .gradient =
        [](GradContext& g) {
          g.set(0, g.dy() * cast_to(polygamma_of_order_one(g.input(0)), g.input_dtype(0)));
        },
    .needs = {kInput},
    .doc = R"(Returns the derivative of lgamma; NaN at 0, -1, -2, ...

Floating dtypes. Abramowitz and Stegun, 6.3. The result has the dtype and shape of x. Raises
InvalidArgumentError for other dtypes.

>>> tf.math.digamma([0.0]).numpy()
array([nan], dtype=float32)
)",
}};

const Op floor{{
    .name = "floor",
    .tf_name = "Floor",
    .stablehlo = "stablehlo.floor",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kFloor>,
    .of_sparse_values = true,
    .doc = R"(Returns the largest whole number that is not above x.

Floating dtypes. Without gradient. The result has the dtype and shape of x. Raises
InvalidArgumentError for other dtypes.

>>> tf.floor([1.5, -1.5]).numpy()
array([ 1., -2.], dtype=float32)
)",
}};

const Op ceil{{
    .name = "ceil",
    .tf_name = "Ceil",
    .stablehlo = "stablehlo.ceil",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kCeil>,
    .of_sparse_values = true,
    .doc = R"(Returns the smallest whole number that is not below x.

Floating dtypes. Without gradient. The result has the dtype and shape of x. Raises
InvalidArgumentError for other dtypes.

>>> tf.math.ceil([1.5, -1.5]).numpy()
array([ 2., -1.], dtype=float32)
)",
}};

// Rounding also accepts narrow integers.
constexpr DTypeSet kWholeTypes = kInt4Types | DTypeSet{DType::kInt2, DType::kUint2};

const Op round{{
    .name = "round",
    .tf_name = "Round",
    .inputs = {{.name = "x", .dtypes = kRealTypes | kWholeTypes, .no_kernel = kComplexTypes}},
    .infer = unary_infer,
    .kernel = cpu::round,
    .of_sparse_values = true,
    .makes_outputs = true,
    .doc = R"(Returns the nearest whole number, and of two the even one.

Real dtypes; integers come back as they are. Without gradient. The result has the dtype and shape
of x. Raises InvalidArgumentError for other dtypes.

>>> tf.round([0.5, 1.5, 2.6]).numpy()
array([0., 2., 3.], dtype=float32)
)",
}};

const Op is_nan{{
    .name = "is_nan",
    .tf_name = "IsNan",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_bool_infer,
    .kernel = cpu::unary<Unary::kIsNan>,
    .of_sparse_values = true,
    .doc = R"(Returns where x is NaN.

Floating dtypes. The result is a bool tensor of the shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.is_nan([float('nan'), float('inf'), 1.0]).numpy()
array([ True, False, False])
)",
}};

const Op is_inf{{
    .name = "is_inf",
    .tf_name = "IsInf",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_bool_infer,
    .kernel = cpu::unary<Unary::kIsInf>,
    .of_sparse_values = true,
    .doc = R"(Returns where x is infinite.

Floating dtypes. The result is a bool tensor of the shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.is_inf([float('nan'), float('inf'), 1.0]).numpy()
array([False,  True, False])
)",
}};

const Op is_finite{{
    .name = "is_finite",
    .tf_name = "IsFinite",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_bool_infer,
    .kernel = cpu::unary<Unary::kIsFinite>,
    .doc = R"(Returns where x is neither infinite nor NaN.

Floating dtypes. The result is a bool tensor of the shape of x. Raises InvalidArgumentError for
other dtypes.

>>> tf.math.is_finite([float('nan'), float('inf'), 1.0]).numpy()
array([False, False,  True])
)",
}};

}  // namespace ef::ops
