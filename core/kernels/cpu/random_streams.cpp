// Gamma, Poisson and binomial samples. Each sample has its own Philox stream, from which a
// rejection sampler reads as many words as it needs, so samples are independent of each other.
#include "kernels/cpu/random_streams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "device/parallel.h"
#include "kernels/cpu/random.h"
#include "kernels/cpu/special_functions.h"
#include "platform/math.h"
#include "tensor/error.h"

namespace ef::cpu {
namespace {

// Blocks reserved for each sample, and for each binomial sample that is computed by inversion.
constexpr uint64_t kBlocks = 256;
constexpr uint64_t kInversionBlocks = 42;

// The least number of samples for a thread to draw.
constexpr int64_t kSampleGrain = 256;

// A uniform value in [0, 1) with 52 bits.
double unit(uint32_t high, uint32_t low) {
  return static_cast<double>((uint64_t{high & 0xfffffu} << 32) | low) * 0x1p-52;
}

std::array<double, 2> uniform_pair(const Philox::Block& words) {
  return {unit(words[0], words[1]), unit(words[2], words[3])};
}

// By the Box-Muller transform.
std::array<double, 2> normal_pair(const Philox::Block& words) {
  const double radius = std::sqrt(-2.0 * std::log(std::max(unit(words[0], words[1]), 1e-7)));
  const double angle = 2.0 * kPi * unit(words[2], words[3]);
  return {radius * std::sin(angle), radius * std::cos(angle)};
}

// Samples drawn in pairs and returned one by one, the second of a pair first.
template <std::array<double, 2> (*pair)(const Philox::Block&)>
class Draws {
 public:
  double operator()(Philox& stream) {
    if (left_ == 0) {
      values_ = pair(stream());
      left_ = 2;
    }
    return values_[static_cast<size_t>(--left_)];
  }

 private:
  std::array<double, 2> values_{};
  int left_ = 0;
};
using Uniform = Draws<uniform_pair>;
using Normal = Draws<normal_pair>;

// Fills the output with sample(index, start).
template <class Sample>
void for_streams(KernelContext& context, const ops::StreamAttrs& stream, const Sample& sample) {
  const Tensor& out = context.output(0);
  const Philox start = philox_at(stream);
  parallel_for(out.size(), kSampleGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out.mutable_data<double>()[i] = sample(i, start);
  });
}

Philox stream_of(Philox start, int64_t index, uint64_t blocks) {
  start.skip(static_cast<uint64_t>(index) * blocks);
  return start;
}

// G. Marsaglia, W. Tsang, "A simple method for generating gamma variables" (2000).
double gamma_number(double alpha, Philox stream) {
  Normal normal;
  Uniform uniform;
  if (alpha == 1) return -std::log1p(-uniform(stream));
  if (!(alpha > 0)) return kNan;
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  for (;;) {
    const double x = normal(stream);
    double v = 1 + c * x;
    if (!(v > 0)) {
      if (std::isnan(v)) return kNan;
      continue;
    }
    v = v * v * v;
    const double u = uniform(stream);
    if (u < 1 - 0.0331 * (x * x) * (x * x) ||
        std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      const double value = d * v;
      return small ? value * std::pow(uniform(stream), 1 / alpha) : value;
    }
  }
}

double log_factorial(double k) { return platform::log_gamma(k + 1); }

// Small rates by products of uniform values (D. Knuth), rates from 10 by W. Hörmann, "The
// transformed rejection method for generating Poisson random variables" (1993).
double poisson_number(double rate, double highest, Philox stream) {
  if (!(rate >= 0)) return kNan;
  if (std::isinf(rate)) return rate;
  // The rate is so far above `highest` that no sample would be below it.
  if (rate - 40 * std::sqrt(rate) > highest) return highest;
  Uniform uniform;
  if (rate < 10) {
    const double limit = std::exp(-rate);
    double steps = 0;
    for (double product = uniform(stream); product > limit; product *= uniform(stream)) ++steps;
    return steps;
  }
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double logarithm = std::log(rate);
  for (;;) {
    const double u = uniform(stream) - 0.5;
    const double v = uniform(stream);
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > highest) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    if (s <= -rate + k * logarithm - log_factorial(k)) return k;
  }
}

// The error of Stirling's approximation of log(k!).
double stirling_tail(double k) {
  static constexpr double kTails[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                                      0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                                      0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                                      0.00833056343336287};
  if (k <= 9) return kTails[static_cast<int>(std::max(k, 0.0))];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// Sums of geometric samples, for few expected successes.
double binomial_by_inversion(double count, double p, Philox stream) {
  Uniform uniform;
  const double scale = std::log1p(-p);
  double sum = 0;
  double number = 0;
  for (;; ++number) {
    sum += std::ceil(std::log(uniform(stream)) / scale);
    if (!(sum <= count)) return number;
  }
}

// W. Hörmann, "The generation of binomial random variates" (1993).
double binomial_by_rejection(double n, double p, Philox stream) {
  Uniform uniform;
  const double deviation = std::sqrt(n * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double ratio = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((n + 1) * p);
  for (;;) {
    double u = uniform(stream);
    const double v = uniform(stream);
    u -= 0.5;
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + n * p + 0.5);
    if (us >= 0.07 && v <= 0.92 - 4.2 / b) return k;
    if (!(k >= 0 && k <= n)) continue;
    const double bound = (m + 0.5) * std::log((m + 1) / (ratio * (n - m + 1))) +
                         (n + 1) * std::log((n - m + 1) / (n - k + 1)) +
                         (k + 0.5) * std::log(ratio * (n - k + 1) / (k + 1)) + stirling_tail(m) +
                         stirling_tail(n - m) - stirling_tail(k) - stirling_tail(n - k);
    if (std::log(v * alpha / (a / (us * us) + b)) <= bound) return k;
  }
}

double binomial_number(double count, double chance, int64_t index, const Philox& start) {
  if (std::isnan(count) || std::isnan(chance)) return kNan;
  if (count <= 0) return 0;
  const bool turned = chance > 0.5;
  const double p = turned ? 1 - chance : chance;
  double number = 0;
  if (p > 0) {
    if (std::isinf(count)) return kNan;
    number = count * p < 10
                 ? binomial_by_inversion(count, p, stream_of(start, index, kInversionBlocks))
                 : binomial_by_rejection(count, p, stream_of(start, index, kBlocks));
  }
  return turned ? count - number : number;
}

}  // namespace

void philox_gamma(KernelContext& context) {
  const double* const alpha = context.input(0).data<double>();
  for_streams(context, context.attrs<ops::StreamAttrs>(), [=](int64_t i, const Philox& start) {
    return gamma_number(alpha[i], stream_of(start, i, kBlocks));
  });
}

void philox_poisson(KernelContext& context) {
  const double* const rate = context.input(0).data<double>();
  const auto& [stream, highest] = context.attrs<ops::PoissonAttrs>();
  if (!(highest >= 0)) invalid_argument("`highest` must be at least 0, not ", highest);
  for_streams(context, stream, [=, highest = highest](int64_t i, const Philox& start) {
    return poisson_number(rate[i], highest, stream_of(start, i, kBlocks));
  });
}

void philox_binomial(KernelContext& context) {
  const double* const count = context.input(0).data<double>();
  const double* const chance = context.input(1).data<double>();
  for_streams(context, context.attrs<ops::StreamAttrs>(), [=](int64_t i, const Philox& start) {
    return binomial_number(count[i], chance[i], i, start);
  });
}

}  // namespace ef::cpu
