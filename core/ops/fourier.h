// Fourier transforms.
#pragma once

#include "ops/attrs.h"

namespace ef::ops {

// kHalf returns the first half, along the last axis, of the spectrum of real values, and kFromHalf
// the real values of such a half. Inverses are divided by the number of values.
enum class FourierKind : uint8_t { kForward, kInverse, kHalf, kFromHalf };
constexpr const char* words_of(FourierKind) { return "forward|inverse|half|from_half"; }

struct FourierAttrs {
  Ints axes;
  FourierKind kind;
  int64_t length = 0;  // of the last axis, for kFromHalf
};
extern const Op fourier;  // input

}  // namespace ef::ops
