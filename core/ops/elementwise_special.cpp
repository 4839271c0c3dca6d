// Special functions: Bessel functions, integrals, and the gamma function's relatives.
#include <cmath>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/special.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

using cpu::Binary;
using cpu::Unary;

constexpr double kPi = 3.14159265358979323846;
constexpr Need kInputAndOutput{1, 1};
constexpr DTypeSet kWideTypes{DType::kFloat32, DType::kFloat64};

// y / x, and its limit where x is 0.
Tensor ratio(const Tensor& y, const Tensor& x, double limit) {
  const Tensor zero = call(equal, {x, ef::zeros_like(x)});
  const Tensor safe = ef::select(zero, ef::ones_like(x), x);
  return ef::select(zero, Tensor::scalar(x.dtype(), limit), y / safe);
}

// log(x) / (x - 1) = 2 artanh(w) / w / (x + 1) with w = (x - 1) / (x + 1), by the series of artanh
// near 1, which is smooth there.
Tensor log_quotient(const Tensor& x) {
  constexpr int kTerms = 9;
  const Tensor near = call(less, {call(abs, {x - 1}), Tensor::scalar(x.dtype(), 0.25)});
  const Tensor inside = ef::select(near, x, ef::ones_like(x));
  const Tensor w = (inside - 1) / (inside + 1);
  const Tensor squared = w * w;
  Tensor series = ef::fill(x.dtype(), {}, 1.0 / (2 * kTerms + 1));
  for (int k = kTerms - 1; k >= 0; --k) series = series * squared + 1.0 / (2 * k + 1);
  const Tensor outside = ef::select(near, ef::ones_like(x) * 2, x);
  return ef::select(near, series * 2 / (inside + 1), call(log, {outside}) / (outside - 1));
}

template <const Op& op>
Tensor of(const Tensor& x) {
  return call(op, {x});
}

// x^(a - 1) e^-x / gamma(a), the derivative of igamma with respect to x. Logarithms are used for
// large x, whose powers overflow, and powers for small x, because logarithms have no derivative at
// 0.
Tensor gamma_density(const Tensor& a, const Tensor& x) {
  const Tensor near = call(less, {x, Tensor::scalar(x.dtype(), 1)});
  const Tensor one = ef::ones(x.dtype(), {});
  const Tensor small = ef::select(near, x, one), large = ef::select(near, one, x);
  const Tensor by_power = call(pow, {small, a - 1}) * of<exp>(-small - of<lgamma>(a));
  return ef::select(near, by_power, of<exp>((a - 1) * of<log>(large) - large - of<lgamma>(a)));
}

template <bool upper>
void incomplete_gamma_gradient(GradContext& g) {
  const Tensor dy = upper ? -g.dy() : g.dy();
  if (g.wants(0)) set_summed(g, 0, dy * call(igamma_grad_a, {g.input(0), g.input(1)}));
  if (g.wants(1)) set_summed(g, 1, dy * gamma_density(g.input(0), g.input(1)));
}

// Scalars broadcast to any shape; all other shapes must be equal.
void betainc_infer(InferContext& c) {
  Shape shape;
  bool ranked = true;
  for (int i = 0; i < 3; ++i) {
    ranked = ranked && c.shape(i).ranked();
    if (c.shape(i).rank() == 0) continue;
    if (shape.rank() != 0 && !compatible(shape, c.shape(i))) {
      invalid_argument("Shapes of a, b and x are inconsistent: ", c.shape(0), " vs. ", c.shape(1),
                       " vs. ", c.shape(2), " [Op:", c.op().tf_name, "]");
    }
    shape = shape.rank() == 0 ? c.shape(i) : merged(shape, c.shape(i));
  }
  // A tensor of unknown rank may be a scalar.
  c.add_output(c.dtype(0), shape.rank() == 0 && !ranked ? Shape::unranked() : shape);
}

}  // namespace

const Op ndtri{{
    .name = "ndtri",
    .tf_name = "Ndtri",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kNdtri>,
    .gradient =
        [](GradContext& g) {
          g.set(0, g.dy() * of<exp>(of<square>(g.output(0)) * 0.5) * std::sqrt(2 * kPi));
        },
    .needs = {kOutput},
    .doc = R"(The inverse of the standard normal distribution function.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.ndtri(0.975)):.4f}"
'1.9600'
)",
}};

const Op bessel_i0{{
    .name = "bessel_i0",
    .tf_name = "BesselI0",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselI0>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * of<bessel_i1>(g.input(0))); },
    .needs = {kInput},
    .doc = R"(The modified Bessel function of the first kind and order 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> float(tf.math.bessel_i0(0.0))
1.0
)",
}};

const Op bessel_i0e{{
    .name = "bessel_i0e",
    .tf_name = "BesselI0e",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselI0e>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          g.set(0, g.dy() * (of<bessel_i1e>(x) - of<sign>(x) * g.output(0)));
        },
    .needs = {kInputAndOutput},
    .of_sparse_values = true,
    .doc = R"(bessel_i0(x) * exp(-|x|).

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> float(tf.math.bessel_i0e(0.0))
1.0
)",
}};

const Op bessel_i1{{
    .name = "bessel_i1",
    .tf_name = "BesselI1",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselI1>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          g.set(0, g.dy() * (of<bessel_i0>(x) - ratio(g.output(0), x, 0.5)));
        },
    .needs = {kInputAndOutput},
    .doc = R"(The modified Bessel function of the first kind and order 1.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> float(tf.math.bessel_i1(0.0))
0.0
)",
}};

const Op bessel_i1e{{
    .name = "bessel_i1e",
    .tf_name = "BesselI1e",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselI1e>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          const Tensor& y = g.output(0);
          g.set(0, g.dy() * (of<bessel_i0e>(x) - of<sign>(x) * y - ratio(y, x, 0.5)));
        },
    .needs = {kInputAndOutput},
    .of_sparse_values = true,
    .doc = R"(bessel_i1(x) * exp(-|x|).

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> float(tf.math.bessel_i1e(0.0))
0.0
)",
}};

const Op bessel_k0{{
    .name = "bessel_k0",
    .tf_name = "BesselK0",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselK0>,
    .gradient = [](GradContext& g) { g.set(0, -g.dy() * of<bessel_k1>(g.input(0))); },
    .needs = {kInput},
    .doc = R"(The modified Bessel function of the second kind and order 0; infinite at and below 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.bessel_k0(1.0)):.4f}"
'0.4210'
)",
}};

const Op bessel_k0e{{
    .name = "bessel_k0e",
    .tf_name = "BesselK0e",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselK0e>,
    .gradient =
        [](GradContext& g) { g.set(0, g.dy() * (g.output(0) - of<bessel_k1e>(g.input(0)))); },
    .needs = {kInputAndOutput},
    .doc = R"(bessel_k0(x) * exp(x); infinite at and below 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.bessel_k0e(1.0)):.4f}"
'1.1445'
)",
}};

const Op bessel_k1{{
    .name = "bessel_k1",
    .tf_name = "BesselK1",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselK1>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          g.set(0, -g.dy() * (of<bessel_k0>(x) + g.output(0) / x));
        },
    .needs = {kInputAndOutput},
    .doc = R"(The modified Bessel function of the second kind and order 1; infinite at and below 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.bessel_k1(1.0)):.4f}"
'0.6019'
)",
}};

const Op bessel_k1e{{
    .name = "bessel_k1e",
    .tf_name = "BesselK1e",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselK1e>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          g.set(0, g.dy() * (g.output(0) * (1 - of<reciprocal>(x)) - of<bessel_k0e>(x)));
        },
    .needs = {kInputAndOutput},
    .doc = R"(bessel_k1(x) * exp(x); infinite at and below 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.bessel_k1e(1.0)):.4f}"
'1.6362'
)",
}};

const Op bessel_j0{{
    .name = "bessel_j0",
    .tf_name = "BesselJ0",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselJ0>,
    .gradient = [](GradContext& g) { g.set(0, -g.dy() * of<bessel_j1>(g.input(0))); },
    .needs = {kInput},
    .doc = R"(The Bessel function of the first kind and order 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> float(tf.math.special.bessel_j0(0.0))
1.0
)",
}};

const Op bessel_j1{{
    .name = "bessel_j1",
    .tf_name = "BesselJ1",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselJ1>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          g.set(0, g.dy() * (of<bessel_j0>(x) - ratio(g.output(0), x, 0.5)));
        },
    .needs = {kInputAndOutput},
    .doc = R"(The Bessel function of the first kind and order 1.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> float(tf.math.special.bessel_j1(0.0))
0.0
)",
}};

const Op bessel_y0{{
    .name = "bessel_y0",
    .tf_name = "BesselY0",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselY0>,
    .gradient = [](GradContext& g) { g.set(0, -g.dy() * of<bessel_y1>(g.input(0))); },
    .needs = {kInput},
    .doc = R"(The Bessel function of the second kind and order 0; -inf at and below 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.bessel_y0(1.0)):.4f}"
'0.0883'
)",
}};

const Op bessel_y1{{
    .name = "bessel_y1",
    .tf_name = "BesselY1",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kBesselY1>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          g.set(0, g.dy() * (of<bessel_y0>(x) - g.output(0) / x));
        },
    .needs = {kInputAndOutput},
    .doc = R"(The Bessel function of the second kind and order 1; -inf at and below 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.bessel_y1(1.0)):.4f}"
'-0.7812'
)",
}};

const Op dawsn{{
    .name = "dawsn",
    .tf_name = "Dawsn",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kDawson>,
    .gradient = [](GradContext& g) { g.set(0, g.dy() * (1 - g.input(0) * g.output(0) * 2)); },
    .needs = {kInputAndOutput},
    .doc = R"(Dawson's integral, exp(-x^2) times the integral of exp(t^2) from 0 to x.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.dawsn(1.0)):.4f}"
'0.5381'
)",
}};

const Op expint{{
    .name = "expint",
    .tf_name = "Expint",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kExpint>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          g.set(0, g.dy() * (of<exp>(x) / x));
        },
    .needs = {kInput},
    .doc = R"(The exponential integral, of exp(t) / t from -inf to x; NaN below 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.expint(1.0)):.4f}"
'1.8951'
)",
}};

const Op fresnel_cos{{
    .name = "fresnel_cos",
    .tf_name = "FresnelCos",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kFresnelCos>,
    .gradient =
        [](GradContext& g) { g.set(0, g.dy() * of<cos>(of<square>(g.input(0)) * (kPi / 2))); },
    .needs = {kInput},
    .doc = R"(Fresnel's cosine integral, of cos(pi t^2 / 2) from 0 to x.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.fresnel_cos(1.0)):.4f}"
'0.7799'
)",
}};

const Op fresnel_sin{{
    .name = "fresnel_sin",
    .tf_name = "FresnelSin",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kFresnelSin>,
    .gradient =
        [](GradContext& g) { g.set(0, g.dy() * of<sin>(of<square>(g.input(0)) * (kPi / 2))); },
    .needs = {kInput},
    .doc = R"(Fresnel's sine integral, of sin(pi t^2 / 2) from 0 to x.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> f"{float(tf.math.special.fresnel_sin(1.0)):.4f}"
'0.4383'
)",
}};

const Op spence{{
    .name = "spence",
    .tf_name = "Spence",
    .inputs = {{"x", kFloatTypes}},
    .infer = unary_infer,
    .kernel = cpu::unary<Unary::kSpence>,
    .gradient =
        [](GradContext& g) {
          const Tensor& x = g.input(0);
          g.set(0, -g.dy() * log_quotient(x));
        },
    .needs = {kInput},
    .doc = R"(Spence's integral, of log(t) / (1 - t) from 1 to x; NaN below 0.

Floating dtypes. The result has the dtype and shape of x. Raises InvalidArgumentError for other
dtypes.

>>> float(tf.math.special.spence(1.0))
0.0
)",
}};

const Op polygamma{{
    .name = "polygamma",
    .tf_name = "Polygamma",
    .inputs = {{"a", kWideTypes}, {"x", kWideTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kPolygamma>,
    .gradient =
        [](GradContext& g) {
          if (!g.wants(1)) return;
          set_summed(g, 1, g.dy() * call(polygamma, {g.input(0) + 1, g.input(1)}));
        },
    .needs = {kNothing, kBothInputs},
    .doc = R"(Returns the derivative of order a of the digamma function at x.

float32 or float64; shapes broadcast. NaN where a is not a whole number that is 0 or more. There is
no gradient with respect to a. Raises InvalidArgumentError if dtypes differ or shapes do not
broadcast. Abramowitz and Stegun, 6.4.

>>> float(tf.math.polygamma(1.0, 1.0)) - 3.14159265 ** 2 / 6 < 1e-6
True
)",
}};

const Op zeta{{
    .name = "zeta",
    .tf_name = "Zeta",
    .inputs = {{"x", kWideTypes}, {"q", kWideTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kZeta>,
    .gradient =
        [](GradContext& g) {
          if (!g.wants(1)) return;
          const Tensor& x = g.input(0);
          set_summed(g, 1, -g.dy() * x * call(zeta, {x + 1, g.input(1)}));
        },
    .needs = {kNothing, kBothInputs},
    .doc = R"(The Hurwitz zeta function, the sum of (q + n) ** -x over n = 0, 1, ...

float32 or float64; shapes broadcast. NaN where x is below 1. There is no gradient with respect to
x. Raises InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> f"{float(tf.math.zeta(2.0, 1.0)):.4f}"
'1.6449'
)",
}};

const Op igamma{{
    .name = "igamma",
    .tf_name = "Igamma",
    .inputs = {{"a", kFloatTypes}, {"x", kFloatTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kIgamma>,
    .gradient = incomplete_gamma_gradient<false>,
    .needs = {kBothInputs},
    .doc = R"(The lower regularized incomplete gamma function P(a, x).

Floating dtypes; shapes broadcast. NaN unless a is positive and x not negative. Raises
InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> f"{float(tf.math.igamma(1.0, 1.0)):.4f}"
'0.6321'
)",
}};

const Op igammac{{
    .name = "igammac",
    .tf_name = "Igammac",
    .inputs = {{"a", kFloatTypes}, {"x", kFloatTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kIgammac>,
    .gradient = incomplete_gamma_gradient<true>,
    .needs = {kBothInputs},
    .doc = R"(The upper regularized incomplete gamma function, Q(a, x) = 1 - P(a, x).

Floating dtypes; shapes broadcast. NaN unless a is positive and x not negative. Raises
InvalidArgumentError if dtypes differ or shapes do not broadcast.

>>> f"{float(tf.math.igammac(1.0, 1.0)):.4f}"
'0.3679'
)",
}};

const Op igamma_grad_a{{
    .name = "igamma_grad_a",
    .tf_name = "IgammaGradA",
    .inputs = {{"a", kFloatTypes}, {"x", kFloatTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kIgammaGradA>,
    // The derivative with respect to x is that of the density with respect to a. With respect to a,
    // there is no formula.
    .gradient =
        [](GradContext& g) {
          if (!g.wants(1)) return;
          const Tensor& a = g.input(0);
          const Tensor& x = g.input(1);
          const Tensor slope = of<log>(x) - of<digamma>(a);
          set_summed(g, 1, call(multiply_no_nan, {slope, g.dy() * gamma_density(a, x)}));
        },
    .needs = {kNothing, kBothInputs},
    .doc = "The derivative of the lower regularized incomplete gamma function by a.\n",
}};

const Op random_gamma_grad{{
    .name = "random_gamma_grad",
    .tf_name = "RandomGammaGrad",
    .inputs = {{"alpha", kFloatTypes}, {"sample", kFloatTypes}},
    .infer = binary_infer,
    .kernel = cpu::binary<Binary::kRandomGammaGrad>,
    .doc = "The derivative of gamma distributed samples by their shape parameters.\n",
}};

const Op betainc{{
    .name = "betainc",
    .tf_name = "Betainc",
    .inputs = {{"a", kWideTypes}, {"b", kWideTypes}, {"x", kWideTypes}},
    .infer = betainc_infer,
    .kernel = cpu::betainc,
    .gradient =
        [](GradContext& g) {
          if (!g.wants(2)) return;
          const Tensor& a = g.input(0);
          const Tensor& b = g.input(1);
          const Tensor& x = g.input(2);
          const Tensor scale = of<lgamma>(a) + of<lgamma>(b) - of<lgamma>(a + b);
          const Tensor powers = call(xlog1py, {b - 1, -x}) + call(xlogy, {a - 1, x});
          set_summed(g, 2, g.dy() * of<exp>(powers - scale));
        },
    .needs = {kNothing, kNothing, {7, 0}},
    .may_be_unknown = Unknown::kRanks,
    .doc = R"(The regularized incomplete beta function.

float32 or float64. Scalars go with tensors of any shape; other shapes must be equal. NaN unless a
and b are positive and x lies within [0, 1]. Its gradient is that by x. Raises InvalidArgumentError
if dtypes or shapes do not fit.

>>> f"{float(tf.math.betainc(2.0, 2.0, 0.5)):.4f}"
'0.5000'
)",
}};

}  // namespace ef::ops
