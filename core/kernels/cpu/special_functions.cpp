// Bessel functions, integrals and the normal quantile, by the polynomials of special_tables.h.
// Equations are those of Abramowitz and Stegun, "Handbook of mathematical functions".
#include "kernels/cpu/special_functions.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/special_tables.h"

namespace ef::cpu {
namespace {

constexpr double kTwoByPi = 0.63661977236758134308;
constexpr double kEuler = 0.57721566490153286061;

// From here on, Bessel functions are computed as functions of 1 / x.
constexpr double kFar = 8;
constexpr double kFarModified = 2;  // K

// value * exp(x), even where exp(x) alone overflows.
double scaled_up(double value, double x) {
  if (x < 700) return value * std::exp(x);
  const double half = std::exp(x / 2);
  return value * half * half;
}

// 9.2.5 and 9.2.6, with the sines and cosines of x - pi / 4.
struct Wave {
  explicit Wave(double x) : reciprocal(1 / x), square(reciprocal * reciprocal) {
    scale = std::sqrt(reciprocal * (1 / kPi));
    const double sine = std::sin(x);
    const double cosine = std::cos(x);
    sum = cosine + sine;
    difference = sine - cosine;
  }
  double reciprocal;
  double square;
  double scale;
  double sum;
  double difference;
};

}  // namespace

double bessel_i0e(double x) {
  x = std::abs(x);
  return x < kFar ? kI0Near(x) : kI0Far(1 / x) / std::sqrt(x);
}
double bessel_i0(double x) { return scaled_up(bessel_i0e(x), std::abs(x)); }
double bessel_i1e(double x) {
  const double size = std::abs(x);
  if (size < kFar) return kI1Near(size) * x;
  return std::copysign(kI1Far(1 / size) / std::sqrt(size), x);
}
double bessel_i1(double x) { return scaled_up(bessel_i1e(x), std::abs(x)); }

// 9.6.13 near zero.
double bessel_k0(double x) {
  if (x <= 0) return kInfinity;
  if (x < kFarModified) return kK0Near(x * x) - std::log(x / 2) * kI0Power(x * x);
  return std::exp(-x) * (kK0Far(1 / x) / std::sqrt(x));
}
double bessel_k0e(double x) {
  if (x <= 0) return kInfinity;
  return x < kFarModified ? bessel_k0(x) * std::exp(x) : kK0Far(1 / x) / std::sqrt(x);
}
double bessel_k1(double x) {
  if (x <= 0) return kInfinity;
  if (x < kFarModified) return kK1Near(x * x) / x + std::log(x / 2) * x * kI1Power(x * x);
  return std::exp(-x) * (kK1Far(1 / x) / std::sqrt(x));
}
double bessel_k1e(double x) {
  if (x <= 0) return kInfinity;
  return x < kFarModified ? bessel_k1(x) * std::exp(x) : kK1Far(1 / x) / std::sqrt(x);
}

double bessel_j0(double x) {
  x = std::abs(x);
  if (x < kFar) return kJ0Near(x);
  const Wave wave(x);
  const double z = wave.square;
  return (kP0(z) * wave.sum - kQ0(z) * wave.reciprocal * wave.difference) * wave.scale;
}
double bessel_j1(double x) {
  const double size = std::abs(x);
  if (size < kFar) return kJ1Near(size) * x;
  const Wave wave(size);
  const double z = wave.square;
  const double value =
      (kP1(z) * wave.difference + kQ1(z) * wave.reciprocal * wave.sum) * wave.scale;
  return x < 0 ? -value : value;
}
// 9.1.13 and 9.1.11 near zero.
double bessel_y0(double x) {
  if (x <= 0) return -kInfinity;
  if (x < kFar) return kY0Near(x) + kTwoByPi * std::log(x) * kJ0Near(x);
  const Wave wave(x);
  const double z = wave.square;
  return (kP0(z) * wave.difference + kQ0(z) * wave.reciprocal * wave.sum) * wave.scale;
}
double bessel_y1(double x) {
  if (x <= 0) return -kInfinity;
  if (x < kFar) {
    return kY1Near(x) * x + kTwoByPi * (std::log(x) * (kJ1Near(x) * x) - 1 / x);
  }
  const Wave wave(x);
  const double z = wave.square;
  return (kQ1(z) * wave.reciprocal * wave.difference - kP1(z) * wave.sum) * wave.scale;
}

double dawson(double x) {
  const double size = std::abs(x);
  return size < 5 ? kDawsonNear(size) * x : kDawsonFar(1 / (x * x)) / (2 * x);
}

// 5.1.10
double exponential_integral(double x) {
  if (x < 0) return kNan;
  if (x < 4) return kEuler + std::log(x) + kEiNear(x) * x;
  return scaled_up(kEiFar(1 / x) / x, x);
}

namespace {

// 7.3.9 and 7.3.10: `f` and `g` for large x, and the angle pi x^2 / 2.
struct Spiral {
  explicit Spiral(double x) {
    const double z = 1 / (x * x);
    f = kFresnelF(z) / (kPi * x);
    g = kFresnelG(z) / (kPi * x) * z / kPi;
    // The remainder of x^2 / 4 defines the angle. The rounding error of the square is added to it.
    const double square = x * x;
    const double angle = kPi / 2 * (std::fmod(square, 4) + std::fma(x, x, -square));
    sine = std::sin(angle);
    cosine = std::cos(angle);
  }
  double f, g, sine, cosine;
};

constexpr double kFarSpiral = 1.5;
// Here f is less than a rounding error of 1/2.
constexpr double kEndOfSpiral = 1e17;

}  // namespace

double fresnel_cos(double x) {
  const double size = std::abs(x);
  if (size < kFarSpiral) return kFresnelCosNear(x * x * x * x) * x;
  if (size > kEndOfSpiral) return std::copysign(0.5, x);
  const Spiral spiral(size);
  return std::copysign(0.5 + spiral.f * spiral.sine - spiral.g * spiral.cosine, x);
}
double fresnel_sin(double x) {
  const double size = std::abs(x);
  if (size < kFarSpiral) return kFresnelSinNear(x * x * x * x) * (x * x * x);
  if (size > kEndOfSpiral) return std::copysign(0.5, x);
  const Spiral spiral(size);
  return std::copysign(0.5 - spiral.f * spiral.cosine - spiral.g * spiral.sine, x);
}

// The dilogarithm of z = 1 - x. 27.7.3, and 1.7 of L. Lewin's "Polylogarithms and associated
// functions" (1981) for 1 / z, transform the argument into [-1, 1/2].
double spence(double x) {
  constexpr double kAtZero = kPi * kPi / 6;
  const auto near = [](double z) { return kDilogarithm(z) * z; };
  if (x < 0 || x == kInfinity) return kNan;
  if (x == 0) return kAtZero;
  if (x < 0.5) return kAtZero - std::log(x) * std::log1p(-x) - near(x);
  if (x <= 2) return near(1 - x);
  const double logarithm = std::log(x - 1);
  return -kAtZero - logarithm * logarithm / 2 - near(1 / (1 - x));
}

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) return p == 0 ? -kInfinity : p == 1 ? kInfinity : kNan;
  const double q = p - 0.5;
  if (std::abs(q) <= 0.365) return kQuantileCentre(q * q) * q;
  const double t = std::sqrt(-2 * std::log(q < 0 ? p : 1 - p));
  const double value = t < 7.9 ? kQuantileNear(t) : kQuantileFar(t);
  return q < 0 ? value : -value;
}

}  // namespace ef::cpu
