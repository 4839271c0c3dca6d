#include "data/shuffle_order.h"

namespace ef {

void draw_shuffled(ShuffleRing& ring, int64_t left, std::span<const uint32_t> words,
                   std::span<const int64_t> incoming, int64_t* drawn) {
  const auto size = static_cast<int64_t>(ring.places.size());
  int64_t* places = ring.places.data();
  int64_t start = ring.start;
  const bool refilled = !incoming.empty();
  for (size_t i = 0; i < words.size(); ++i) {
    int64_t index = start + static_cast<int64_t>(words[i]) % left;
    if (index >= size) index -= size;
    *drawn++ = places[index];
    places[index] = places[start];
    if (refilled) {
      places[start] = incoming[i];
    } else {
      --left;
    }
    if (++start == size) start = 0;
  }
  ring.start = start;
}

}  // namespace ef
