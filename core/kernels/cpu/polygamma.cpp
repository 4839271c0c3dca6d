// The derivatives of the gamma function's logarithm, and Hurwitz's zeta function.
#include <cmath>
#include <limits>

#include "kernels/cpu/special_functions.h"

namespace ef::cpu {
namespace {

// Up to this exponent, multiplication is faster than std::pow, and as exact.
constexpr double kFewFactors = 12;

// q^-s. `factors` is s if that is a small integer, otherwise 0.
double inverse_power(double q, double s, int factors) {
  if (factors == 0) return std::pow(q, -s);
  double power = q;
  for (int i = 1; i < factors; ++i) power *= q;
  return power < kInfinity ? 1 / power : std::pow(q, -s);
}

// The sum of (q + k)^-s over k = 0, 1, ..., for q > 0 and s > 1, by Euler and Maclaurin.
double hurwitz_zeta_positive(double s, double q) {
  if (q == kInfinity) return 0;
  const int factors = s <= kFewFactors && s == std::floor(s) ? static_cast<int>(s) : 0;
  double sum = 0;
  for (; q < 12; ++q) sum += inverse_power(q, s, factors);
  const double power = inverse_power(q, s, factors);
  sum += power * q / (s - 1) + power / 2;
  // B(2j) / (2j)!
  constexpr double kTerms[] = {1.0 / 12,
                               -1.0 / 720,
                               1.0 / 30240,
                               -1.0 / 1209600,
                               1.0 / 47900160,
                               -691.0 / 1307674368000.0,
                               1.0 / 74724249600.0,
                               -3617.0 / 10670622842880000.0};
  double factor = power * s / q;
  int j = 0;
  for (double term : kTerms) {
    sum += term * factor;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (q * q);
    ++j;
  }
  return sum;
}

// Also for q < 0 and integer s: the sum over all integers minus the terms below q. At the poles
// there is no limit for odd s.
double hurwitz_zeta(double s, double q) {
  if (q > 0) return hurwitz_zeta_positive(s, q);
  if (q == std::floor(q)) return std::fmod(s, 2) == 0 ? kInfinity : kNan;
  const double fraction = q - std::floor(q);
  const double sign = std::fmod(s, 2) == 0 ? 1 : -1;
  return hurwitz_zeta_positive(s, fraction) +
         sign * (hurwitz_zeta_positive(s, 1 - fraction) - hurwitz_zeta_positive(s, 1 - q));
}

}  // namespace

// Abramowitz and Stegun, 6.3.18, after enough steps of 6.3.5 and, below zero, of 6.3.7.
double digamma(double x) {
  if (x == -kInfinity) return kNan;
  if (x <= 0) {
    if (x == std::floor(x)) return kNan;
    const double fraction = x - std::floor(x);
    return digamma(1 - x) - kPi / std::tan(kPi * fraction);
  }
  double sum = 0;
  for (; x < 10; ++x) sum -= 1 / x;
  const double z = 1 / (x * x);
  const double tail =
      z * (1.0 / 12 - z * (1.0 / 120 -
                           z * (1.0 / 252 -
                                z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 - z / 12))))));
  return sum + std::log(x) - 1 / (2 * x) - tail;
}

// Abramowitz and Stegun, 6.4.10.
double polygamma(double order, double x) {
  if (!(order >= 0) || order != std::floor(order) || std::isnan(x)) return kNan;
  if (order == 0) return digamma(x);
  const double factorial = std::tgamma(order + 1);
  const double sign = std::fmod(order, 2) == 0 ? -1 : 1;
  return sign * factorial * hurwitz_zeta(order + 1, x);
}

double zeta(double s, double q) {
  if (s == 1) return kInfinity;
  if (!(s > 1) || std::isnan(q)) return kNan;
  if (s == kInfinity) return q > 1 ? 0 : q == 1 ? 1 : kInfinity;
  if (q < 0 && s != std::floor(s) && q != std::floor(q)) return kNan;
  return hurwitz_zeta(s, q);
}

}  // namespace ef::cpu
