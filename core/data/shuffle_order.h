// The order in which a shuffle buffer returns its elements.
#pragma once

#include <cstdint>
#include <span>

namespace ef {

// A ring of slots. The drawn element is swapped with the first one, whose slot is then free.
struct ShuffleRing {
  std::span<int64_t> slots;
  int64_t start;
};

// Draws one element for each of `words` (at most `left` of them) from the `left` elements that
// follow the ring's start. If `incoming` is as long as `words`, each free slot receives the next
// incoming element, and `left`, which must be the ring's size, stays the same; else it shrinks.
void draw_shuffled(ShuffleRing& ring, int64_t left, std::span<const uint32_t> words,
                   std::span<const int64_t> incoming, int64_t* drawn);

}  // namespace ef
