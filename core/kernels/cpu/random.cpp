// Random values from Philox blocks, in TensorFlow's order. Each block of four 32-bit words yields
// four outputs of up to 32 bits, or two of 64, so any thread can compute any part.
#include "kernels/cpu/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/random_loops.h"
#include "random/philox.h"

namespace ef::cpu {
namespace {

const RandomLoops& stream_loops() { return best::random_loops(); }

Philox start_of(const KernelContext& context) {
  return philox_at(context.attrs<ops::SampleAttrs>().stream);
}

// Blocks per batch: their words stay in the first-level cache.
constexpr int64_t kPiece = 256;
constexpr int64_t kRandomGrain = 8 * kPiece;

// Calls make(words, first, count) for pieces of the output, with the words for the elements from
// `first` on. Each block yields `per_block` elements; consecutive blocks are `stride` blocks apart.
template <class Make>
void draw(KernelContext& context, const Philox& start, int64_t per_block, uint64_t stride,
          const Make& make) {
  const int64_t count = context.output(0).size();
  const int64_t blocks = (count + per_block - 1) / per_block;
  parallel_for(blocks, kRandomGrain, [&](int64_t begin, int64_t end) {
    alignas(64) uint32_t words[4 * kPiece];
    for (int64_t block = begin; block < end; block += kPiece) {
      const int64_t size = std::min(kPiece, end - block);
      Philox philox = start;
      philox.skip(static_cast<uint64_t>(block) * stride);
      stream_loops().philox({philox.key(), philox.counter_low(), philox.counter_high(), stride},
                            words, size);
      const int64_t first = block * per_block;
      make(words, first, std::min(size * per_block, count - first));
    }
  });
}

template <class T>
void sample(KernelContext& context, SampleLoop loop) {
  T* out = context.output(0).mutable_data<T>();
  draw(context, start_of(context), 16 / std::max<int64_t>(sizeof(T), 4), 1,
       [=](const uint32_t* words, int64_t first, int64_t count) {
         loop(words, out + first, count);
       });
}

// The Box-Muller transform of a pair of uniform values to a pair of normal values.
struct FloatPairs {
  using Wide = float;
  static constexpr int kWords = 2;
  static SampleLoop loop() { return stream_loops().normal_float; }
  static void make(PhiloxNumbers& numbers, float* out) {
    const uint32_t a = numbers();
    const float u = std::max(unit(a), 1.0e-7f);  // keeps the logarithm finite
    const auto angle = static_cast<float>(2.0 * std::numbers::pi * unit(numbers()));
    const float radius = std::sqrt(-2.0f * std::log(u));
    out[0] = std::sin(angle) * radius;
    out[1] = std::cos(angle) * radius;
  }
  // The bits become the mantissa of a value in [1, 2), from which 1 is subtracted.
  static float unit(uint32_t bits) {
    return std::bit_cast<float>(0x3f800000u | (bits & 0x7fffffu)) - 1.0f;
  }
};
struct DoublePairs {
  using Wide = double;
  static constexpr int kWords = 4;
  static SampleLoop loop() { return stream_loops().normal_double; }
  static void make(PhiloxNumbers& numbers, double* out) {
    const double u = std::max(unit(numbers), 1.0e-7);
    const double angle = 2.0 * std::numbers::pi * unit(numbers);
    const double radius = std::sqrt(-2.0 * std::log(u));
    out[0] = std::sin(angle) * radius;
    out[1] = std::cos(angle) * radius;
  }
  static double unit(PhiloxNumbers& numbers) {
    const uint64_t upper = numbers() & 0xfffffu;
    const uint64_t mantissa = (upper << 32) | numbers();
    return std::bit_cast<double>((uint64_t{1023} << 52) | mantissa) - 1.0;
  }
};

// T is the output's element type, computed from pairs of float or double.
template <class T, class Pairs>
void normal(KernelContext& context) {
  using Wide = typename Pairs::Wide;
  constexpr int64_t kPerBlock = 8 / Pairs::kWords;
  T* out = context.output(0).mutable_data<T>();
  const Philox start = start_of(context);
  draw(context, start, kPerBlock, 1, [=](const uint32_t* words, int64_t first, int64_t count) {
    Wide values[kPerBlock * kPiece];
    Pairs::loop()(words, values, count + (count & 1));
    for (int64_t i = 0; i < count; ++i) out[first + i] = static_cast<T>(values[i]);
  });
}

// The number of samples TensorFlow reserves for one output drawn by rejection.
constexpr int64_t kReserved = 256;
constexpr double kCut = 2.0;

// Redraws the samples of a group one by one, rejecting those that are too large.
template <class Pairs>
void redraw(Philox philox, typename Pairs::Wide* out, int count) {
  PhiloxNumbers numbers(philox);
  for (int made = 0; made < count;) {
    typename Pairs::Wide pair[2];
    Pairs::make(numbers, pair);
    for (int i = 0; i < 2 && made < count; ++i) {
      if (std::abs(pair[i]) < static_cast<typename Pairs::Wide>(kCut)) out[made++] = pair[i];
    }
  }
}

// Each group of outputs has its own range of the stream. In five of six cases, its first block
// suffices.
template <class T, class Pairs>
void truncated(KernelContext& context) {
  using Wide = typename Pairs::Wide;
  constexpr int64_t kGroup = 8 / Pairs::kWords;
  constexpr int64_t kStride = kGroup * kReserved / 4;
  // The vector functions and the C library's may round differently, so a sample may be accepted by
  // one and rejected by the other.
  constexpr auto kSafe = static_cast<Wide>(kCut - 1e-5);
  T* out = context.output(0).mutable_data<T>();
  const Philox start = start_of(context);
  draw(context, start, kGroup, kStride, [=](const uint32_t* words, int64_t first, int64_t count) {
    Wide values[kGroup * kPiece];
    const int64_t groups = (count + kGroup - 1) / kGroup;
    Pairs::loop()(words, values, groups * kGroup);
    for (int64_t group = 0; group < groups; ++group) {
      Wide* members = values + group * kGroup;
      bool safe = true;
      for (int64_t i = 0; i < kGroup; ++i) safe &= std::abs(members[i]) < kSafe;
      if (safe) continue;
      Philox philox = start;
      philox.skip(static_cast<uint64_t>((first / kGroup + group) * kStride));
      redraw<Pairs>(philox, members, kGroup);
    }
    for (int64_t i = 0; i < count; ++i) out[first + i] = static_cast<T>(values[i]);
  });
}

template <class T>
void full_range(KernelContext& context) {
  T* out = context.output(0).mutable_data<T>();
  const Philox start = start_of(context);
  draw(context, start, 16 / sizeof(T), 1, [=](const uint32_t* words, int64_t first, int64_t count) {
    std::memcpy(out + first, words, static_cast<size_t>(count) * sizeof(T));
  });
}

}  // namespace

void philox_uniform(KernelContext& context) {
  switch (context.output(0).dtype()) {
    case DType::kFloat32: return sample<float>(context, stream_loops().uniform_float);
    case DType::kFloat16: return sample<Half>(context, stream_loops().uniform_half);
    case DType::kBfloat16: return sample<Bfloat16>(context, stream_loops().uniform_bfloat16);
    default: return sample<double>(context, stream_loops().uniform_double);
  }
}

void philox_normal(KernelContext& context) {
  switch (context.output(0).dtype()) {
    case DType::kFloat32: return normal<float, FloatPairs>(context);
    case DType::kFloat16: return normal<Half, FloatPairs>(context);
    case DType::kBfloat16: return normal<Bfloat16, FloatPairs>(context);
    default: return normal<double, DoublePairs>(context);
  }
}

void philox_truncated_normal(KernelContext& context) {
  switch (context.output(0).dtype()) {
    case DType::kFloat32: return truncated<float, FloatPairs>(context);
    case DType::kFloat16: return truncated<Half, FloatPairs>(context);
    case DType::kBfloat16: return truncated<Bfloat16, FloatPairs>(context);
    default: return truncated<double, DoublePairs>(context);
  }
}

void philox_uniform_int(KernelContext& context) {
  const auto& attrs = context.attrs<ops::UniformIntAttrs>();
  const Philox start = philox_at(attrs.sample.stream);
  const auto low = static_cast<uint64_t>(attrs.minval);
  const uint64_t range = static_cast<uint64_t>(attrs.maxval) - low;
  if (element_size(context.output(0).dtype()) == 4) {
    auto* out = context.output(0).mutable_data<uint32_t>();
    draw(context, start, 4, 1, [=](const uint32_t* words, int64_t first, int64_t count) {
      stream_loops().remainder(words, static_cast<uint32_t>(low), static_cast<uint32_t>(range),
                               out + first, count);
    });
    return;
  }
  auto* out = context.output(0).mutable_data<uint64_t>();
  draw(context, start, 2, 1, [=](const uint32_t* words, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t word = words[2 * i] | uint64_t{words[2 * i + 1]} << 32;
      out[first + i] = low + word % range;
    }
  });
}

void philox_uniform_full_int(KernelContext& context) {
  if (element_size(context.output(0).dtype()) == 4) return full_range<uint32_t>(context);
  full_range<uint64_t>(context);
}

void philox_shuffle(KernelContext& context) {
  int32_t* const out = context.output(0).mutable_data<int32_t>();
  const int64_t n = context.output(0).size();
  std::iota(out, out + n, 0);
  // Indices are drawn in pieces ahead of their use, so that the memory can be prefetched.
  constexpr int64_t kDrawn = 4 * kPiece;
  constexpr int64_t kAhead = 16;
  Philox philox = philox_at(context.attrs<ops::ShuffleAttrs>().stream);
  alignas(64) uint32_t words[kDrawn];
  alignas(64) uint32_t places[kDrawn + kAhead] = {};
  for (int64_t first = 0; first + 1 < n; first += kDrawn) {
    const int64_t count = std::min(kDrawn, n - 1 - first);
    const int64_t blocks = (count + 3) / 4;
    stream_loops().philox({philox.key(), philox.counter_low(), philox.counter_high(), 1}, words,
                          blocks);
    philox.skip(static_cast<uint64_t>(blocks));
    stream_loops().falling_remainders(words, n - first, places, count);
    int32_t* const rest = out + first;
    for (int64_t i = 0; i < count; ++i) {
      __builtin_prefetch(rest + i + kAhead + places[i + kAhead], 1);
      std::swap(rest[i], rest[i + places[i]]);
    }
  }
}

namespace {

// Cumulative sums of e^(logit - largest) over the classes, skipping non-finite logits.
template <class T>
void cumulate(const T* logits, int64_t classes, double* sums) {
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < classes; ++i) {
    const double logit = logits[i];
    if (std::isfinite(logit)) largest = std::max(largest, logit);
  }
  double total = 0;
  for (int64_t i = 0; i < classes; ++i) {
    const double logit = logits[i];
    if (std::isfinite(logit)) total += std::exp(logit - largest);
    sums[i] = total;
  }
}

template <class T, class Index>
void categorical(KernelContext& context) {
  const T* logits = context.input(0).data<T>();
  Index* out = context.output(0).mutable_data<Index>();
  const int64_t rows = context.input(0).dim(0);
  const int64_t classes = context.input(0).dim(1);
  const int64_t samples = context.output(0).dim(1);
  const Philox start = philox_at(context.attrs<ops::CategoricalAttrs>().stream);
  const int64_t row_cost = 10 * classes + 40 * samples + 1;
  parallel_for(rows, std::max<int64_t>(1, 20'000 / row_cost), [&](int64_t begin, int64_t end) {
    std::vector<double> sums(static_cast<size_t>(classes));
    // Every sample uses half a block.
    Philox philox = start;
    philox.skip(static_cast<uint64_t>(begin * samples) / 2);
    PhiloxNumbers numbers(philox);
    if (begin * samples % 2 != 0) DoublePairs::unit(numbers);
    for (int64_t row = begin; row < end; ++row) {
      cumulate(logits + row * classes, classes, sums.data());
      for (int64_t i = 0; i < samples; ++i) {
        const double place = DoublePairs::unit(numbers) * sums.back();
        const auto found = std::upper_bound(sums.begin(), sums.end(), place);
        out[row * samples + i] = static_cast<Index>(found - sums.begin());
      }
    }
  });
}

template <class T>
void categorical_as(KernelContext& context) {
  if (context.output(0).dtype() == DType::kInt32) return categorical<T, int32_t>(context);
  categorical<T, int64_t>(context);
}

}  // namespace

void philox_categorical(KernelContext& context) {
  switch (context.input(0).dtype()) {
    case DType::kFloat32: return categorical_as<float>(context);
    case DType::kFloat64: return categorical_as<double>(context);
    case DType::kFloat16: return categorical_as<Half>(context);
    default: return categorical_as<Bfloat16>(context);
  }
}

}  // namespace ef::cpu
