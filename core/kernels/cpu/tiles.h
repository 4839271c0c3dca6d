// The code of chains on registers.
//
// A tile is as many elements as eight vector registers hold. A list of steps is run for one tile
// after the other: each step is a function that does its work on the eight registers, which are its
// arguments and together the accumulator, and ends in a jump to the next step's function. Values
// thus go from one operation to the next without a detour through memory.
#pragma once

#include <cstdint>

#include "ops/element_loop.h"

namespace ef::cpu {

struct TileStep {
  TileCode code = nullptr;
  // The memory that the step reads or writes: at element i of the whole, data + (i & mask)
  // elements. The mask is 0 for memory that holds one tile, and -1 for all others.
  char* data = nullptr;
  int64_t mask = 0;
};

// What a step does that computes from memory to memory: `data` of the step points to it. The
// accumulator is lost.
struct TileCall {
  void (*run)(const TileCall& call, int64_t begin, int64_t count) = nullptr;
};

}  // namespace ef::cpu
