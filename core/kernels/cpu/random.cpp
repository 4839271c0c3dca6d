// Random numbers from Philox blocks, in TensorFlow's order: each block of four 32-bit numbers makes
// four outputs of up to 32 bits, or two of 64, so that any part can be made on any thread.
#include "kernels/cpu/random.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "device/parallel.h"
#include "random/philox.h"

namespace ef::cpu {
namespace {

// Bits become the mantissa of a number in [1, 2), from which 1 is subtracted.
float unit_float(uint32_t bits) {
  return std::bit_cast<float>(0x3f800000u | (bits & 0x7fffffu)) - 1.0f;
}
double unit_double(uint32_t high, uint32_t low) {
  const uint64_t mantissa = (uint64_t{high & 0xfffffu} << 32) | low;
  return std::bit_cast<double>((uint64_t{1023} << 52) | mantissa) - 1.0;
}

template <class T>
T unit(uint32_t bits);
template <>
float unit<float>(uint32_t bits) {
  return unit_float(bits);
}
template <>
Half unit<Half>(uint32_t bits) {
  Half value;
  value.bits = static_cast<uint16_t>((15u << 10) | (bits & 0x3ffu));
  return Half(static_cast<float>(value) - 1.0f);
}
template <>
Bfloat16 unit<Bfloat16>(uint32_t bits) {
  Bfloat16 value;
  value.bits = static_cast<uint16_t>((127u << 7) | (bits & 0x7fu));
  return Bfloat16(static_cast<float>(value) - 1.0f);
}

// Box and Muller's transform of two uniform numbers to two normal ones.
void normal_pair(uint32_t a, uint32_t b, float* out) {
  constexpr float kSmallest = 1.0e-7f;  // keeps the logarithm finite
  const float u = std::max(unit_float(a), kSmallest);
  const float angle = 2.0f * std::numbers::pi_v<float> * unit_float(b);
  const float radius = std::sqrt(-2.0f * std::log(u));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
}
void normal_pair(uint32_t a, uint32_t b, uint32_t c, uint32_t d, double* out) {
  constexpr double kSmallest = 1.0e-7;
  const double u = std::max(unit_double(a, b), kSmallest);
  const double angle = 2.0 * std::numbers::pi * unit_double(c, d);
  const double radius = std::sqrt(-2.0 * std::log(u));
  out[0] = std::sin(angle) * radius;
  out[1] = std::cos(angle) * radius;
}

Philox philox_at(const Attrs& attrs, int first) {
  return Philox(static_cast<uint64_t>(attrs.integer(first)),
                static_cast<uint64_t>(attrs.integer(first + 1)),
                static_cast<uint64_t>(attrs.integer(first + 2)));
}

// Calls make(philox, group) for each group of kWidth outputs; the generator stands at
// `blocks_per_group` times the group's number.
template <int kWidth, class T, class Make>
void fill_groups(KernelContext& context, uint64_t blocks_per_group, const Make& make) {
  T* out = context.output(0).mutable_data<T>();
  const int64_t count = context.output(0).size();
  const Philox start = philox_at(context.attrs(), 2);
  const int64_t groups = (count + kWidth - 1) / kWidth;
  parallel_for(groups, 2048, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      Philox philox = start;
      philox.skip(static_cast<uint64_t>(group) * blocks_per_group);
      T values[kWidth];
      make(philox, values);
      const int64_t size = std::min<int64_t>(kWidth, count - group * kWidth);
      for (int64_t i = 0; i < size; ++i) out[group * kWidth + i] = values[i];
    }
  });
}

template <class T>
void uniform(KernelContext& context) {
  fill_groups<4, T>(context, 1, [](Philox& philox, T* out) {
    const Philox::Block block = philox();
    for (int i = 0; i < 4; ++i) out[i] = unit<T>(block[i]);
  });
}

template <class T>
void normal(KernelContext& context) {
  fill_groups<4, T>(context, 1, [](Philox& philox, T* out) {
    const Philox::Block block = philox();
    float values[4];
    normal_pair(block[0], block[1], values);
    normal_pair(block[2], block[3], values + 2);
    for (int i = 0; i < 4; ++i) out[i] = static_cast<T>(values[i]);
  });
}

// How many numbers TensorFlow sets aside for one output that is drawn by rejection.
constexpr uint64_t kReserved = 256;
constexpr double kCut = 2.0;

template <class T>
void truncated(KernelContext& context) {
  fill_groups<4, T>(context, kReserved, [](Philox& philox, T* out) {
    PhiloxNumbers numbers(philox);
    for (int made = 0; made < 4;) {
      const uint32_t a = numbers();
      const uint32_t b = numbers();
      float pair[2];
      normal_pair(a, b, pair);
      for (int i = 0; i < 2 && made < 4; ++i) {
        if (std::abs(pair[i]) < static_cast<float>(kCut)) out[made++] = static_cast<T>(pair[i]);
      }
    }
  });
}

void truncated_double(KernelContext& context) {
  fill_groups<2, double>(context, kReserved / 2, [](Philox& philox, double* out) {
    PhiloxNumbers numbers(philox);
    for (int made = 0; made < 2;) {
      const uint32_t a = numbers();
      const uint32_t b = numbers();
      const uint32_t c = numbers();
      const uint32_t d = numbers();
      double pair[2];
      normal_pair(a, b, c, d, pair);
      for (int i = 0; i < 2 && made < 2; ++i) {
        if (std::abs(pair[i]) < kCut) out[made++] = pair[i];
      }
    }
  });
}

uint64_t join(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

// Integers low + bits mod range; a range of 0 means all values.
template <class U>
void ints(KernelContext& context, U low, U range) {
  if constexpr (sizeof(U) == 4) {
    fill_groups<4, U>(context, 1, [=](Philox& philox, U* out) {
      const Philox::Block block = philox();
      for (int i = 0; i < 4; ++i) out[i] = low + (range ? block[i] % range : block[i]);
    });
  } else {
    fill_groups<2, U>(context, 1, [=](Philox& philox, U* out) {
      const Philox::Block block = philox();
      for (int i = 0; i < 2; ++i) {
        const uint64_t bits = join(block[2 * i], block[2 * i + 1]);
        out[i] = low + (range ? bits % range : bits);
      }
    });
  }
}

}  // namespace

void philox_uniform(KernelContext& context) {
  switch (context.output(0).dtype()) {
    case DType::kFloat32: return uniform<float>(context);
    case DType::kFloat16: return uniform<Half>(context);
    case DType::kBfloat16: return uniform<Bfloat16>(context);
    default:
      return fill_groups<2, double>(context, 1, [](Philox& philox, double* out) {
        const Philox::Block block = philox();
        out[0] = unit_double(block[0], block[1]);
        out[1] = unit_double(block[2], block[3]);
      });
  }
}

void philox_normal(KernelContext& context) {
  switch (context.output(0).dtype()) {
    case DType::kFloat32: return normal<float>(context);
    case DType::kFloat16: return normal<Half>(context);
    case DType::kBfloat16: return normal<Bfloat16>(context);
    default:
      return fill_groups<2, double>(context, 1, [](Philox& philox, double* out) {
        const Philox::Block block = philox();
        normal_pair(block[0], block[1], block[2], block[3], out);
      });
  }
}

void philox_truncated_normal(KernelContext& context) {
  switch (context.output(0).dtype()) {
    case DType::kFloat32: return truncated<float>(context);
    case DType::kFloat16: return truncated<Half>(context);
    case DType::kBfloat16: return truncated<Bfloat16>(context);
    default: return truncated_double(context);
  }
}

void philox_uniform_int(KernelContext& context) {
  const auto low = static_cast<uint64_t>(context.attrs().integer(5));
  const uint64_t range = static_cast<uint64_t>(context.attrs().integer(6)) - low;
  if (element_size(context.output(0).dtype()) == 4) {
    return ints(context, static_cast<uint32_t>(low), static_cast<uint32_t>(range));
  }
  ints(context, low, range);
}

void philox_uniform_full_int(KernelContext& context) {
  if (element_size(context.output(0).dtype()) == 4) return ints<uint32_t>(context, 0, 0);
  ints<uint64_t>(context, 0, 0);
}

void philox_shuffle(KernelContext& context) {
  int32_t* out = context.output(0).mutable_data<int32_t>();
  const int64_t n = context.output(0).size();
  std::iota(out, out + n, 0);
  PhiloxNumbers numbers(philox_at(context.attrs(), 1));
  for (int64_t i = 0; i + 1 < n; ++i) {
    const auto left = static_cast<uint32_t>(n - i);
    std::swap(out[i], out[i + numbers() % left]);
  }
}

}  // namespace ef::cpu
