// The vectorised parts of drawing random numbers.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// A run of Philox blocks: the first one, and the increment between blocks.
struct PhiloxRun {
  uint64_t key = 0;
  uint64_t counter_low = 0;
  uint64_t counter_high = 0;
  uint64_t stride = 1;
};

// Turns the words of whole Philox blocks into `count` outputs of one dtype.
using SampleLoop = void (*)(const uint32_t* words, void* out, int64_t count);

struct RandomLoops {
  // Four words for each block.
  void (*philox)(const PhiloxRun& run, uint32_t* words, int64_t blocks);
  // In [0, 1): one word per output, two for doubles. 16-bit results are bit patterns.
  SampleLoop uniform_float;
  SampleLoop uniform_double;
  SampleLoop uniform_half;
  SampleLoop uniform_bfloat16;
  // Standard normal, in pairs: two words per pair, four for doubles. `count` is even.
  SampleLoop normal_float;
  SampleLoop normal_double;
  // low + word mod range, where range is not 0.
  void (*remainder)(const uint32_t* words, uint32_t low, uint32_t range, uint32_t* out,
                    int64_t count);
  // word mod range, where the range falls by one per word from `range`, at most 2^31; the last is
  // not 0.
  void (*falling_remainders)(const uint32_t* words, int64_t range, uint32_t* out, int64_t count);
};

EF_EVERY_ISA(RandomLoops, random_loops)

}  // namespace ef::cpu
