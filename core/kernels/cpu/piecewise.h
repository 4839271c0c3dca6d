// Functions that are given by polynomials on equal pieces of an interval.
#pragma once

namespace ef::cpu {

template <int kPieces, int kSize>
struct Piecewise {
  double low;
  double scale;  // pieces by unit
  double coefficients[kPieces * kSize];

  // `x` lies in the interval, or a little outside, or is NaN, as is the result then.
  double operator()(double x) const {
    const double place = (x - low) * scale;
    const int piece = place < kPieces - 1 ? static_cast<int>(place) : kPieces - 1;
    const double t = 2 * (place - piece) - 1;
    const double* const c = coefficients + piece * kSize;
    double sum = c[kSize - 1];
    for (int k = kSize - 2; k >= 0; --k) sum = sum * t + c[k];
    return sum;
  }
};

}  // namespace ef::cpu
