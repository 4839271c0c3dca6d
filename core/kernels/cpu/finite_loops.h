// Loops that check for infinities and NaNs.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// Whether one of `count` values, of 2, 4 or 8 bytes, has all bits of `exponent` set.
struct FiniteLoops {
  bool (*any16)(const uint16_t* numbers, int64_t count, uint16_t exponent);
  bool (*any32)(const uint32_t* numbers, int64_t count, uint32_t exponent);
  bool (*any64)(const uint64_t* numbers, int64_t count, uint64_t exponent);
};

EF_EVERY_ISA(FiniteLoops, finite_loops)

}  // namespace ef::cpu
