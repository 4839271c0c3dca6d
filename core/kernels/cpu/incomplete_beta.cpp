// The regularized incomplete beta function, by the equations of the "NIST digital library of
// mathematical functions", https://dlmf.nist.gov.
#include <cmath>
#include <cstdint>
#include <limits>

#include "device/parallel.h"
#include "kernels/cpu/special.h"
#include "kernels/cpu/special_functions.h"

namespace ef::cpu {
namespace {

// x^a y^b / B(a, b) for y = 1 - x. With all three gamma functions scaled, only the distances of x
// and y from the mode remain.
double density(double a, double b, double x, double y) {
  const double miss = b * x - a * y;
  const double exponent = a * logarithm_excess(miss / a, x * ((a + b) / a)) +
                          b * logarithm_excess(-miss / b, y * ((a + b) / b));
  return std::exp(-exponent) * scaled_gamma(a + b) / (scaled_gamma(a) * scaled_gamma(b)) *
         std::sqrt(a / (2 * kPi) * (b / (a + b)));
}

// The continued beta_fraction 8.17.22, evaluated forwards by the method of W. Lentz (1976).
double beta_fraction(double a, double b, double x) {
  double c = 1;
  double d = 1 / (1 - (a + b) * x / (a + 1));
  double product = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    product *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    const double step = c * d;
    product *= step;
    if (std::abs(step - 1) <= kEpsilon) break;
  }
  return product;
}

}  // namespace

double beta_share(double a, double b, double x) {
  if (a <= 0 || b <= 0) return kNan;
  if (x == 0 || x == 1) return x;
  if (!(a < kInfinity && b < kInfinity && x > 0 && x < 1)) return kNan;
  const double y = 1 - x;
  const double scale = density(a, b, x, y);
  // 8.17.4 where the beta_fraction converges slowly.
  if (x <= (a + 1) / (a + b + 2)) return scale * beta_fraction(a, b, x) / a;
  return 1 - scale * beta_fraction(b, a, y) / b;
}

void betainc(KernelContext& context) {
  const Tensor& out = context.output(0);
  const auto run = [&]<class T>(T) {
    const T* data[3];
    int64_t step[3];
    for (int i = 0; i < 3; ++i) {
      data[i] = context.input(i).data<T>();
      step[i] = context.input(i).shape().rank() == 0 ? 0 : 1;
    }
    T* const to = out.mutable_data<T>();
    constexpr int64_t kGrain = 128;  // elements that take about ten microseconds
    parallel_for(out.size(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        to[i] = static_cast<T>(
            beta_share(data[0][i * step[0]], data[1][i * step[1]], data[2][i * step[2]]));
      }
    });
  };
  out.dtype() == DType::kFloat32 ? run(float{}) : run(double{});
}

}  // namespace ef::cpu
