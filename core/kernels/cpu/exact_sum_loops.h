// Loops that add to sums and keep the rounding errors.
#pragma once

#include <cstdint>

#include "device/isa.h"
#include "tensor/dtype.h"

namespace ef::cpu {

template <class T>
using ExactSumLoop = void (*)(T* sums, T* remainders, const T* deltas, int64_t count,
                              bool subtracts);

struct ExactSumLoops {
  ExactSumLoop<float> float32;
  ExactSumLoop<double> float64;
  ExactSumLoop<Half> float16;
  ExactSumLoop<Bfloat16> bfloat16;
};

EF_EVERY_ISA(ExactSumLoops, exact_sum_loops)

}  // namespace ef::cpu
