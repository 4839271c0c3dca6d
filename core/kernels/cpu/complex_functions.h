// Functions of complex numbers. Those of two floats are computed in double precision, in which
// squares neither overflow nor vanish, without the scaling that the standard library's have; these
// compute infinite and undefined results.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace ef::cpu {

template <class T>
using C = std::complex<T>;

// The double-precision result of a function, rounded; the standard library's if that is not finite.
template <class Library>
[[gnu::always_inline]] inline C<float> rounded_or(double real, double imag,
                                                  const Library& library) {
  constexpr double kMost = std::numeric_limits<float>::max();
  if (std::abs(real) <= kMost && std::abs(imag) <= kMost) {
    return {static_cast<float>(real), static_cast<float>(imag)};
  }
  return library();
}

inline double squared_length(C<double> x) { return x.real() * x.real() + x.imag() * x.imag(); }

template <class T>
[[gnu::always_inline]] inline C<T> quotient(C<T> x, C<T> y) {
  if constexpr (std::is_same_v<T, float>) {
    const double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    const double scale = 1 / (c * c + d * d);
    return rounded_or((a * c + b * d) * scale, (b * c - a * d) * scale, [=] { return x / y; });
  } else {
    return x / y;
  }
}

// The root of a finite x with a real part that is not negative, in which nothing cancels.
[[gnu::always_inline]] inline C<double> root_of_finite(C<double> x) {
  const double larger = std::sqrt((std::sqrt(squared_length(x)) + std::abs(x.real())) / 2);
  const double size = std::abs(x.imag());
  // By index: processors cannot foresee the signs.
  const double parts[] = {larger == 0 ? size : size / (2 * larger), larger};
  const int right = x.real() >= 0;
  return {parts[right], std::copysign(parts[1 - right], x.imag())};
}

template <class T>
[[gnu::always_inline]] inline C<T> root(C<T> x) {
  if constexpr (std::is_same_v<T, float>) {
    const C<double> found = root_of_finite(x);
    return rounded_or(found.real(), found.imag(), [=] { return std::sqrt(x); });
  } else {
    return std::sqrt(x);
  }
}

// Whether the logarithm of a square needs the digits that it lost.
inline bool is_near_one(double square) { return std::abs(square - 1) < 0.1; }

// The logarithm of the length of a finite x, also where that is near 1.
[[gnu::always_inline]] inline double log_of_length(C<double> x) {
  const double square = squared_length(x);
  return (is_near_one(square) ? std::log1p(x.real() * x.real() - 1 + x.imag() * x.imag())
                              : std::log(square)) /
         2;
}

template <class T>
[[gnu::always_inline]] inline C<T> logarithm(C<T> x) {
  if constexpr (std::is_same_v<T, float>) {
    return rounded_or(log_of_length(x), std::arg(x), [=] { return std::log(x); });
  } else {
    return std::log(x);
  }
}

// By the sine and the cosine of the angle's own precision.
template <class T>
[[gnu::always_inline]] inline C<double> exponential_of_finite(double real, T angle) {
  const double size = std::exp(real);
  return {size * std::cos(angle), size * std::sin(angle)};
}

template <class T>
[[gnu::always_inline]] inline C<T> exponential(C<T> x) {
  if constexpr (std::is_same_v<T, float>) {
    const C<double> found = exponential_of_finite(x.real(), x.imag());
    return rounded_or(found.real(), found.imag(), [=] { return std::exp(x); });
  } else {
    return std::exp(x);
  }
}

// Powers with small integer exponents are products.
inline constexpr int kMostFactors = 32;

// The limits at 0, where the logarithm has none.
template <class T>
[[gnu::always_inline]] inline C<T> power(C<T> x, C<T> y) {
  if (y == C<T>(0)) return C<T>(1);
  if (x == C<T>(0) && y.real() > 0) return C<T>(0);
  const T size = std::abs(y.real());
  if (y.imag() == 0 && size <= kMostFactors && size == std::floor(size)) {
    C<double> result = 1, square = x;
    for (int left = static_cast<int>(size);;) {
      if (left & 1) result *= square;
      if ((left >>= 1) == 0) break;
      square *= square;
    }
    if (y.real() < 0) result = 1.0 / result;
    return static_cast<C<T>>(result);
  }
  if constexpr (std::is_same_v<T, float>) {
    const C<double> scaled = C<double>(y) * C<double>(log_of_length(x), std::arg(C<double>(x)));
    const C<double> found = exponential_of_finite(scaled.real(), scaled.imag());
    return rounded_or(found.real(), found.imag(), [=] { return std::pow(x, y); });
  } else {
    return std::pow(x, y);
  }
}

}  // namespace ef::cpu
