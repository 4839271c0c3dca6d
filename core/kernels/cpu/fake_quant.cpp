// Fake quantization, with limits for the whole tensor or per channel.
#include "kernels/cpu/fake_quant.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "device/parallel.h"
#include "kernels/cpu/fake_quant_loops.h"
#include "ops/fake_quant.h"

namespace ef::cpu {
namespace {

const FakeQuantLoops& quantization_loops() { return best::fake_quant_loops(); }

constexpr int64_t kFakeQuantGrain = 32'768;
// Parts whose sums are added in a fixed order, whatever the number of threads.
constexpr int64_t kParts = 16;

// Calls body(offset, channel, count) for runs of elements with the same limits in [begin, end).
template <class Body>
void for_runs(int64_t begin, int64_t end, int64_t channels, const Body& body) {
  if (channels == 1) return body(begin, int64_t{0}, end - begin);
  for (int64_t i = begin; i < end; ++i) body(i, i % channels, int64_t{1});
}

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

FakeQuantLimits limits_of(float low, float high, const ops::FakeQuantLimitsAttrs& attrs) {
  // All values are 0, and gradients pass, even those of NaN.
  if (low == 0 && high == 0) return {-kFloatInfinity, kFloatInfinity, 1, 0, 0};
  const auto least = static_cast<float>(attrs.least), most = static_cast<float>(attrs.most);
  const float scale = (high - low) / static_cast<float>(attrs.most - attrs.least);
  float zero = least - low / scale;
  if (zero < least) {
    zero = least;
  } else if (zero > most) {
    zero = most;
  } else {
    zero = std::floor(zero + 0.5f);
  }
  const float bottom = (least - zero) * scale, top = (most - zero) * scale;
  // Steps are counted from zero. The two kernels of TensorFlow differ where a value lies halfway:
  // one divides, the other multiplies by the inverse.
  const float factor = attrs.divide ? scale : 1 / scale;
  const float steps = attrs.divide ? bottom / factor : bottom * factor;
  return {bottom, top, factor, std::floor(0.5f - steps), scale};
}

}  // namespace

void fake_quant_limits(KernelContext& context) {
  const float* const low = context.input(0).data<float>();
  const float* const high = context.input(1).data<float>();
  const auto& attrs = context.attrs<ops::FakeQuantLimitsAttrs>();
  const int64_t channels = context.input(0).size();
  float* out = context.output(0).mutable_data<float>();
  for (int64_t c = 0; c < channels; ++c) {
    const FakeQuantLimits limits = limits_of(low[c], high[c], attrs);
    const float rows[] = {limits.bottom, limits.top, limits.factor, limits.zero, limits.scale};
    for (size_t row = 0; row < std::size(rows); ++row) {
      out[static_cast<int64_t>(row) * channels + c] = rows[row];
    }
  }
}

void fake_quant(KernelContext& context) {
  const float* const x = context.input(0).data<float>();
  const float* const table = context.input(1).data<float>();
  const int64_t channels = context.input(1).dim(1);
  const bool divide = context.attrs<ops::FakeQuantAttrs>().divide;
  float* const out = context.output(0).mutable_data<float>();
  parallel_for(context.output(0).size(), kFakeQuantGrain, [&](int64_t begin, int64_t end) {
    for_runs(begin, end, channels, [&](int64_t at, int64_t c, int64_t count) {
      const FakeQuantLimits limits{table[c], table[channels + c], table[2 * channels + c],
                                   table[3 * channels + c], table[4 * channels + c]};
      if (limits.bottom == -kFloatInfinity) {
        std::fill_n(out + at, count, 0.0f);
        return;
      }
      quantization_loops().round(out + at, x + at, count, limits, divide);
    });
  });
}

void fake_quant_grad(KernelContext& context) {
  const float* const dy = context.input(0).data<float>();
  const float* const x = context.input(1).data<float>();
  const float* const table = context.input(2).data<float>();
  const int64_t channels = context.input(2).dim(1);
  const int64_t size = context.input(1).size();
  float* const out = context.output(0).mutable_data<float>();
  const auto sums = std::make_unique<double[]>(static_cast<size_t>(kParts * 2 * channels));
  parallel_for(kParts, std::max<int64_t>(1, kParts * kFakeQuantGrain / (size + 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t p = begin; p < end; ++p) {
                   double* const low = sums.get() + p * 2 * channels;
                   double* const high = low + channels;
                   for_runs(size * p / kParts, size * (p + 1) / kParts, channels,
                            [&](int64_t at, int64_t c, int64_t count) {
                              if (table[c] == -kFloatInfinity) {
                                std::copy_n(dy + at, count, out + at);
                                return;
                              }
                              quantization_loops().gradient(out + at, dy + at, x + at, count,
                                                            table[c], table[channels + c], low + c,
                                                            high + c);
                            });
                 }
               });
  for (int k = 0; k < 2; ++k) {
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (int64_t p = 0; p < kParts; ++p) sum += sums[(p * 2 + k) * channels + c];
      context.output(1 + k).mutable_data<float>()[c] = static_cast<float>(sum);
    }
  }
}

}  // namespace ef::cpu
