// The code of chains on registers.
//
// A tile has as many elements as fit into eight vector registers. A list of steps runs for one tile
// after the other. Each step is a function whose arguments are the eight registers, together called
// the accumulator. It ends in a jump to the next step's function. Values thus pass from one
// operation to the next without memory accesses.
#pragma once

#include <cstdint>

#include "ops/element_loop.h"

namespace ef::cpu {

struct TileStep {
  TileCode code = nullptr;
  // The memory that the step reads or writes: for element i of the result, data + (i & mask)
  // elements. The mask is 0 for memory that holds one tile, and -1 for all other memory.
  char* data = nullptr;
  int64_t mask = 0;
};

// A step that computes from memory to memory; `data` of the step points to this. It overwrites the
// accumulator.
struct TileCall {
  void (*run)(const TileCall& call, int64_t begin, int64_t count) = nullptr;
};

}  // namespace ef::cpu
