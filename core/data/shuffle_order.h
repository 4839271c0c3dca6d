// The order in which a shuffle buffer gives its elements.
#pragma once

#include <cstdint>
#include <span>

namespace ef {

// A ring of places. The element drawn changes places with the first one, whose place is then free.
struct ShuffleRing {
  std::span<int64_t> places;
  int64_t start;
};

// Draws one element for each of `words` (at most `left` of them) from the `left` elements that
// follow the ring's start. With `incoming` as long as `words`, each place that becomes free takes
// the next of these and `left`, which is the whole ring then, stays; otherwise it shrinks.
void draw_shuffled(ShuffleRing& ring, int64_t left, std::span<const uint32_t> words,
                   std::span<const int64_t> incoming, int64_t* drawn);

}  // namespace ef
