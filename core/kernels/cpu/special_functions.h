// Special functions in double precision. Outside their domains they return what TensorFlow returns.
#pragma once

#include <limits>
#include <numbers>

namespace ef::cpu {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// The most terms of a series. Parameters below 1e9 need fewer; beyond, the sum is accurate after
// these.
inline constexpr int kMostTerms = 100'000;

// Bessel functions. Names that end in e are scaled functions: exp(-|x|) I(x) and exp(x) K(x).
double bessel_i0(double x);
double bessel_i0e(double x);
double bessel_i1(double x);
double bessel_i1e(double x);
double bessel_k0(double x);
double bessel_k0e(double x);
double bessel_k1(double x);
double bessel_k1e(double x);
double bessel_j0(double x);
double bessel_j1(double x);
double bessel_y0(double x);
double bessel_y1(double x);

double dawson(double x);
double exponential_integral(double x);
double fresnel_cos(double x);
double fresnel_sin(double x);
double spence(double x);
// The inverse of the standard normal distribution function.
double normal_quantile(double p);

// The gamma function's logarithmic derivatives, and Hurwitz's zeta function.
double digamma(double x);
double polygamma(double order, double x);
double zeta(double s, double q);

// The regularized incomplete gamma functions P and Q, the derivative of P with respect to a, and
// the derivative of a gamma sample with respect to a at a fixed quantile.
double gamma_p(double a, double x);
double gamma_q(double a, double x);
double gamma_p_by_a(double a, double x);
double gamma_sample_by_a(double a, double x);

// mu - log(ratio) for ratio = 1 + mu, where `ratio` may be more exact; and gamma(a) / (sqrt(2 pi /
// a) (a / e)^a), which tends to 1.
double logarithm_excess(double mu, double ratio);
double scaled_gamma(double a);

// The regularized incomplete beta function.
double beta_share(double a, double b, double x);

}  // namespace ef::cpu
