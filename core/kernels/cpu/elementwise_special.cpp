// Inner loops of the gamma function's relatives and the inverse error function.
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/plain_loops.h"

namespace ef::cpu {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

float log_gamma(float x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}
double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

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

// The sum of (q + k)^-s over k = 0, 1, ..., for q > 0 and s > 1, by Euler and Maclaurin.
double hurwitz_zeta_positive(double s, double q) {
  if (q == kInfinity) return 0;
  double sum = 0;
  for (; q < 12; ++q) sum += std::pow(q, -s);
  const double power = std::pow(q, -s);
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

// Also for q < 0 and whole s: the sum over all integers less the part that does not belong. At the
// poles an odd s has no limit.
double hurwitz_zeta(double s, double q) {
  if (q > 0) return hurwitz_zeta_positive(s, q);
  if (q == std::floor(q)) return std::fmod(s, 2) == 0 ? kInfinity : kNan;
  const double fraction = q - std::floor(q);
  const double sign = std::fmod(s, 2) == 0 ? 1 : -1;
  return hurwitz_zeta_positive(s, fraction) +
         sign * (hurwitz_zeta_positive(s, 1 - fraction) - hurwitz_zeta_positive(s, 1 - q));
}

// Abramowitz and Stegun, 6.4.10.
double polygamma(double order, double x) {
  if (!(order >= 0) || order != std::floor(order) || std::isnan(x)) return kNan;
  if (order == 0) return digamma(x);
  const double factorial = std::tgamma(order + 1);
  const double sign = std::fmod(order, 2) == 0 ? -1 : 1;
  return sign * factorial * hurwitz_zeta(order + 1, x);
}

template <class T, double (*function)(double)>
T as_double(T x) {
  return static_cast<T>(function(x));
}
template <class T>
T polygamma_of(T order, T x) {
  return static_cast<T>(polygamma(order, x));
}

template <class T>
void add_special(ElementLoops& loops, DType type) {
  loops.at(Unary::kLgamma, type) = plain_unary<T, T, [](T x) { return log_gamma(x); }>;
  loops.at(Unary::kDigamma, type) = plain_unary<T, T, as_double<T, digamma>>;
  loops.at(Binary::kPolygamma, type) = plain_binary<T, T, polygamma_of<T>>;
}

}  // namespace

void add_special_loops(ElementLoops& loops) {
  add_special<float>(loops, DType::kFloat32);
  add_special<double>(loops, DType::kFloat64);
}

}  // namespace ef::cpu
