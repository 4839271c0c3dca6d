// Fake quantization, with limits for the whole tensor or per channel.
#include "kernels/cpu/fake_quant.h"

#include <algorithm>
#include <array>
#include <memory>

#include "device/parallel.h"
#include "kernels/cpu/fake_quant_loops.h"
#include "ops/fake_quant.h"

namespace ef::cpu {
namespace {

const FakeQuantLoops& loops() { return best::fake_quant_loops(); }

constexpr int64_t kGrain = 32'768;
// Parts whose sums are added in a fixed order, whatever the number of threads.
constexpr int64_t kParts = 16;

// Calls body(offset, channel, count) for runs of elements with the same limits in [begin, end).
template <class Body>
void for_runs(int64_t begin, int64_t end, int64_t channels, const Body& body) {
  if (channels == 1) return body(begin, int64_t{0}, end - begin);
  for (int64_t i = begin; i < end; ++i) body(i, i % channels, int64_t{1});
}

}  // namespace

void fake_quant(KernelContext& context) {
  const float* const x = context.input(0).data<float>();
  const float* const table = context.input(1).data<float>();
  const int64_t channels = context.input(1).dim(1);
  const bool divide = context.attrs<ops::FakeQuantAttrs>().divide;
  float* const out = context.output(0).mutable_data<float>();
  parallel_for(context.output(0).size(), kGrain, [&](int64_t begin, int64_t end) {
    for_runs(begin, end, channels, [&](int64_t at, int64_t c, int64_t count) {
      const FakeQuantLimits limits{table[c], table[channels + c], table[2 * channels + c],
                                   table[3 * channels + c], table[4 * channels + c]};
      loops().round(out + at, x + at, count, limits, divide);
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
  parallel_for(kParts, std::max<int64_t>(1, kParts * kGrain / (size + 1)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t p = begin; p < end; ++p) {
                   double* const low = sums.get() + p * 2 * channels;
                   double* const high = low + channels;
                   for_runs(size * p / kParts, size * (p + 1) / kParts, channels,
                            [&](int64_t at, int64_t c, int64_t count) {
                              loops().gradient(out + at, dy + at, x + at, count, table[c],
                                               table[channels + c], low + c, high + c);
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
