// The regularized incomplete gamma functions and their derivatives by the order.
//
// Equations are those of the "NIST digital library of mathematical functions",
// https://dlmf.nist.gov.
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "kernels/cpu/special_functions.h"
#include "kernels/cpu/special_tables.h"

namespace ef::cpu {
namespace {

constexpr double kRootPi = 1.77245385090551602730;
constexpr double kRootTwoPi = 2.50662827463100050242;

// A function of a and its derivative, for forward-mode differentiation.
struct Dual {
  double value;
  double slope;
};
Dual operator+(Dual x, Dual y) { return {x.value + y.value, x.slope + y.slope}; }
Dual operator+(double x, Dual y) { return {x + y.value, y.slope}; }
Dual operator*(Dual x, Dual y) {
  return {x.value * y.value, x.slope * y.value + x.value * y.slope};
}
Dual operator*(double x, Dual y) { return {x * y.value, x * y.slope}; }
Dual operator/(Dual x, Dual y) {
  const double ratio = x.value / y.value;
  return {ratio, (x.slope - ratio * y.slope) / y.value};
}
Dual operator/(double x, Dual y) { return Dual{x, 0} / y; }

// Whether a term is too small to count in a sum.
bool negligible(double term, double sum) {
  return std::abs(term) <= 0.25 * kEpsilon * std::abs(sum);
}
bool negligible(Dual term, Dual sum) {
  return negligible(term.value, sum.value) && negligible(term.slope, sum.slope);
}

// P(a, x) gamma(a + 1) / (x^a e^-x) by 8.7.1: the sum of x^n / ((a + 1) ... (a + n)).
template <class T>
T series(T a, double x) {
  T term = 1.0 + 0.0 * a;
  T sum = term;
  for (int n = 1; n < kMostTerms; ++n) {
    term = term * (x / (static_cast<double>(n) + a));
    sum = sum + term;
    if (negligible(term, sum)) break;
  }
  return sum;
}

// Q(a, x) gamma(a) / (x^a e^-x): the even part of the continued upper_fraction 8.9.2, whose
// numerators and denominators follow from one another (1.12.5).
double upper_fraction(double a, double x) {
  double b = x + 1 - a;
  if (x > 1e30) return 1 / b;
  double before_p = 0;
  double before_q = 1;
  double p = 1;
  double q = b;
  double value = p / q;
  for (int n = 1; n < kMostTerms;) {
    for (const int end = n + 4; n < end; ++n) {
      const double numerator = n * (a - n);
      b += 2;
      before_p = b * p + numerator * before_p;
      before_q = b * q + numerator * before_q;
      std::swap(p, before_p);
      std::swap(q, before_q);
    }
    const double before = value;
    value = p / q;
    if (negligible(value - before, value)) break;
    if (std::abs(q) > 1e100) {
      for (double* number : {&p, &q, &before_p, &before_q}) *number *= 1e-100;
    }
  }
  return value;
}

// The same with its derivative, for which p and q would lose digits, as a product of ratios that
// tend to 1 (W. Lentz, 1976).
Dual upper_fraction(Dual a, double x) {
  Dual b = (x + 1) + -1.0 * a;
  Dual d = 1.0 / b;
  Dual c{1e300, 0};
  Dual product = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const Dual numerator = static_cast<double>(n) * (-static_cast<double>(n) + a);
    b = 2.0 + b;
    d = 1.0 / (b + numerator * d);
    c = b + numerator / c;
    const Dual before = product;
    product = product * (c * d);
    if (negligible(product + -1.0 * before, product)) break;
  }
  return product;
}

// 1 / gamma(a + 1)
double reciprocal_gamma(double a) {
  double product = 1;
  for (; a > 1; a -= 1) product *= a;
  return kReciprocalGamma(a) / product;
}

// x^a e^-x / gamma(a + 1)
double power_part(double a, double x) {
  if (a < 10 && x < 700) return std::pow(x, a) * std::exp(-x) * reciprocal_gamma(a);
  return std::exp(-a * logarithm_excess((x - a) / a, x / a)) /
         (kRootTwoPi * std::sqrt(a) * scaled_gamma(a));
}

// Whether the uniform expansion is exact to the last digit, and shorter than the other series.
bool is_uniform(double a, double x) { return a >= 20 && std::abs(x - a) < 0.4 * a; }

// N. Temme's expansion (1979), 8.12.3 and 8.12.4: Q = erfc(y) / 2 + exp(-y^2) rest.
template <bool kSlope>
struct UniformExpansion {
  UniformExpansion(double a, double x) {
    const double mu = (x - a) / a;
    const double excess = logarithm_excess(mu, x / a);
    // eta^2 / 2 is the excess, and eta eta' = -mu / a.
    eta = std::copysign(std::sqrt(2 * excess), mu);
    const double eta_slope = eta == 0 ? -1 / a : -mu / (a * eta);
    const double root = std::sqrt(a / 2);
    y = eta * root;
    density = std::exp(-a * excess);
    double sum = 0;
    double slope = 0;
    double power = 1;
    for (int k = 0; k < static_cast<int>(std::size(kTemme)); ++k) {
      const auto& row = kTemme[k];
      // Later rows count for less, and need fewer powers.
      const int powers = static_cast<int>(std::size(row)) - k;
      double inner = row[powers - 1];
      double inner_slope = 0;
      for (int n = powers - 2; n >= 0; --n) {
        if (kSlope) inner_slope = inner_slope * eta + inner;
        inner = inner * eta + row[n];
      }
      sum += inner * power;
      if (kSlope) slope += (inner_slope * eta_slope - inner * k / a) * power;
      power /= a;
      if (power < 1e-18) break;
    }
    const double scale = 1 / (kRootTwoPi * std::sqrt(a));
    rest = scale * sum;
    // The derivative of -y^2 by a is log(1 + mu).
    if (!kSlope) return;
    slope_by_density = scale * ((std::log1p(mu) - 0.5 / a) * sum + slope) -
                       (eta_slope * root + eta / (4 * root)) / kRootPi;
  }
  double eta;
  double y;
  double density;               // exp(-y^2)
  double rest;                  // the term after erfc, without the density
  double slope_by_density = 0;  // dQ/da without the density
};

// Whether to compute P by its series: P is the smaller one, or both start equally well.
bool by_series(double a, double x) { return x <= a || x < 1.1; }

// Q for small a and x: 1 - x^a / gamma(1 + a) and the rest of 8.7.1, which do not cancel
// (W. Gautschi, "A computational procedure for incomplete gamma functions", 1979).
double small_q(double a, double x) {
  double term = 1;
  double sum = 0;
  for (int n = 1; n < kMostTerms; ++n) {
    term *= -x / n;
    const double part = term / (a + n);
    sum += part;
    if (negligible(part, sum)) break;
  }
  const double logarithm = a * (std::log(x) - kLogGamma(a));
  return -std::expm1(logarithm) - std::exp(logarithm) * a * sum;
}

bool in_domain(double a, double x) { return a > 0 && x >= 0; }

}  // namespace

// With r = mu / (2 + mu), log(1 + mu) is 2 artanh(r) (4.6.6).
double logarithm_excess(double mu, double ratio) {
  if (std::abs(mu) > 0.5) return mu - std::log(ratio);
  const double r = mu / (2 + mu);
  const double square = r * r;
  double sum = 0;
  for (int k = 35; k >= 3; k -= 2) sum = sum * square + 1.0 / k;
  return r * (mu - 2 * square * sum);
}

double scaled_gamma(double a) {
  if (a >= 1) return kScaledGamma(1 / a);
  // 5.5.1
  return kScaledGamma(1 / (a + 1)) * std::sqrt(1 + 1 / a) * std::exp(a * std::log1p(1 / a) - 1);
}

double gamma_p(double a, double x) {
  if (x == 0) return 0;
  if (!in_domain(a, x)) return kNan;
  if (std::isinf(a)) return 0;
  if (std::isinf(x)) return 1;
  if (is_uniform(a, x)) {
    const UniformExpansion<false> uniform(a, x);
    return std::erfc(-uniform.y) / 2 - uniform.density * uniform.rest;
  }
  const double power = power_part(a, x);
  if (by_series(a, x)) return power * series(a, x);
  return power == 0 ? 1 : 1 - power * a * upper_fraction(a, x);
}

double gamma_q(double a, double x) {
  if (!in_domain(a, x)) return kNan;
  if (std::isinf(x)) return 0;
  if (x == 0 || std::isinf(a)) return 1;
  if (is_uniform(a, x)) {
    const UniformExpansion<false> uniform(a, x);
    return std::erfc(uniform.y) / 2 + uniform.density * uniform.rest;
  }
  if (a < 1 && x < 1.1) return small_q(a, x);
  const double power = power_part(a, x);
  if (by_series(a, x)) return 1 - power * series(a, x);
  return power == 0 ? 0 : power * a * upper_fraction(a, x);
}

namespace {

// The derivative of P by a, divided by x^a e^-x / gamma(a + 1).
double slope_by_power(double a, double x) {
  const Dual order{a, 1};
  if (by_series(a, x)) {
    const Dual sum = series(order, x);
    return (std::log(x) - digamma(a + 1)) * sum.value + sum.slope;
  }
  const Dual value = upper_fraction(order, x);
  return -a * ((std::log(x) - digamma(a)) * value.value + value.slope);
}

}  // namespace

double gamma_p_by_a(double a, double x) {
  if (x == 0) return 0;
  if (!in_domain(a, x)) return kNan;
  if (std::isinf(x) || std::isinf(a)) return 0;
  if (is_uniform(a, x)) {
    const UniformExpansion<true> uniform(a, x);
    return -uniform.density * uniform.slope_by_density;
  }
  const double power = power_part(a, x);
  return power == 0 ? 0 : power * slope_by_power(a, x);
}

// M. Figurnov et al., "Implicit reparameterization gradients" (2018): the density is
// x^(a - 1) e^-x / gamma(a).
double gamma_sample_by_a(double a, double x) {
  if (x == 0) return 0;
  if (!in_domain(a, x) || std::isinf(a)) return kNan;
  if (is_uniform(a, x)) {
    const double to_density = kRootTwoPi / std::sqrt(a) * scaled_gamma(a) * x;
    return UniformExpansion<true>(a, x).slope_by_density * to_density;
  }
  return -slope_by_power(a, x) * (x / a);
}

}  // namespace ef::cpu
