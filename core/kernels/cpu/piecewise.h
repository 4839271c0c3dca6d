// Functions given by polynomials on equal pieces of an interval.
#pragma once

namespace ef::cpu {

template <int kPieces, int kSize>
struct Piecewise {
  double low;
  double scale;  // pieces per unit
  double coefficients[kPieces * kSize];

  // `x` is in the interval, or slightly outside. NaN returns NaN.
  double operator()(double x) const {
    const double place = (x - low) * scale;
    const int piece = place < kPieces - 1 ? static_cast<int>(place) : kPieces - 1;
    const double t = 2 * (place - piece) - 1;
    const double* const c = coefficients + piece * kSize;
    // Separate even and odd powers halve the chain of dependent operations.
    const double square = t * t;
    constexpr int kLastEven = (kSize - 1) / 2 * 2;
    constexpr int kLastOdd = (kSize - 2) / 2 * 2 + 1;
    double even = c[kLastEven];
    for (int k = kLastEven - 2; k >= 0; k -= 2) even = even * square + c[k];
    double odd = c[kLastOdd];
    for (int k = kLastOdd - 2; k >= 1; k -= 2) odd = odd * square + c[k];
    return even + odd * t;
  }
};

}  // namespace ef::cpu
