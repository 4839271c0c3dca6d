// Elementwise operations; several inputs broadcast.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

// Arithmetic of two operands: x, y.
extern const Op add_n;
extern const Op add;
extern const Op subtract;
extern const Op multiply;
extern const Op real_divide;  // in Python: divide_real
extern const Op divide_no_nan;
extern const Op multiply_no_nan;
extern const Op truncate_div;
extern const Op truncate_mod;
extern const Op floor_div;  // in Python: floordiv
extern const Op floor_mod;  // in Python: floormod
extern const Op pow;
extern const Op maximum;
extern const Op minimum;
extern const Op squared_difference;
extern const Op atan2;
extern const Op hypot;
extern const Op xdivy;
extern const Op xlogy;
extern const Op xlog1py;

// Functions of one operand: x.
extern const Op negative;
extern const Op abs;  // real for complex inputs
extern const Op sign;
extern const Op square;
extern const Op sqrt;
extern const Op rsqrt;
extern const Op reciprocal;
extern const Op exp;
extern const Op expm1;
extern const Op log;
extern const Op log1p;
extern const Op sin;
extern const Op cos;
extern const Op tan;
extern const Op asin;
extern const Op acos;
extern const Op atan;
extern const Op sinh;
extern const Op cosh;
extern const Op tanh;
extern const Op asinh;
extern const Op acosh;
extern const Op atanh;
extern const Op sigmoid;
extern const Op erf;
extern const Op erfc;
extern const Op erfinv;
extern const Op lgamma;
extern const Op digamma;
extern const Op floor;
extern const Op ceil;
extern const Op round;  // half to even
extern const Op is_nan;
extern const Op is_inf;
extern const Op is_finite;

// Special functions of x, unless other inputs are listed.
extern const Op ndtri;
extern const Op bessel_i0;
extern const Op bessel_i0e;
extern const Op bessel_i1;
extern const Op bessel_i1e;
extern const Op bessel_k0;
extern const Op bessel_k0e;
extern const Op bessel_k1;
extern const Op bessel_k1e;
extern const Op bessel_j0;
extern const Op bessel_j1;
extern const Op bessel_y0;
extern const Op bessel_y1;
extern const Op dawsn;
extern const Op expint;
extern const Op fresnel_cos;
extern const Op fresnel_sin;
extern const Op spence;
extern const Op polygamma;          // a, x: the derivative of order a of digamma
extern const Op zeta;               // x, q
extern const Op igamma;             // a, x
extern const Op igammac;            // a, x
extern const Op igamma_grad_a;      // a, x: the derivative of igamma by a
extern const Op random_gamma_grad;  // alpha, sample
extern const Op betainc;            // a, b, x

// Activations: features.
extern const Op softplus;
extern const Op softsign;
extern const Op relu;
extern const Op relu6;
struct LeakyReluAttrs {
  double alpha = 0.2;
};
extern const Op leaky_relu;
extern const Op elu;
extern const Op selu;
struct GeluAttrs {
  bool approximate = false;
};
extern const Op gelu;

// Gradients in one step. Inputs: y, dy (the function's value and its gradient).
extern const Op sqrt_grad;
extern const Op rsqrt_grad;
extern const Op reciprocal_grad;
extern const Op tanh_grad;
extern const Op sigmoid_grad;
// Gradients in one step. Inputs: gradients, features (or outputs, as in TensorFlow, for elu and
// selu).
extern const Op relu_grad;
extern const Op relu6_grad;
extern const Op leaky_relu_grad;
extern const Op elu_grad;   // gradients, outputs
extern const Op selu_grad;  // gradients, outputs
extern const Op softplus_grad;
extern const Op softsign_grad;
extern const Op gelu_grad;

// Comparisons, logic and bits.
extern const Op equal;
extern const Op not_equal;
extern const Op less;
extern const Op less_equal;
extern const Op greater;
extern const Op greater_equal;
extern const Op logical_and;
extern const Op logical_or;
extern const Op logical_xor;
extern const Op logical_not;
extern const Op bitwise_and;
extern const Op bitwise_or;
extern const Op bitwise_xor;
extern const Op left_shift;
extern const Op right_shift;
extern const Op invert;

// Selection, conversion and complex numbers.
extern const Op select;         // condition, x, y
extern const Op clip_by_value;  // t, clip_value_min, clip_value_max
struct CastAttrs {
  DTypeIn<kAnyTypes> dtype;
};
extern const Op cast;           // x
extern const Op identity;       // input
extern const Op stop_gradient;  // input
extern const Op complex;        // real, imag
extern const Op real;
extern const Op imag;
extern const Op conj;
extern const Op angle;

}  // namespace ef::ops
