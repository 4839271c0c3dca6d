#include "data/shuffle_order.h"

namespace ef {

void draw_shuffled(ShuffleRing& ring, int64_t left, std::span<const uint32_t> words,
                   std::span<const int64_t> incoming, int64_t* drawn) {
  const auto size = static_cast<int64_t>(ring.slots.size());
  int64_t* slots = ring.slots.data();
  int64_t start = ring.start;
  const bool refilled = !incoming.empty();
  for (size_t i = 0; i < words.size(); ++i) {
    int64_t index = start + static_cast<int64_t>(words[i]) % left;
    if (index >= size) index -= size;
    *drawn++ = slots[index];
    slots[index] = slots[start];
    if (refilled) {
      slots[start] = incoming[i];
    } else {
      --left;
    }
    if (++start == size) start = 0;
  }
  ring.start = start;
}

}  // namespace ef
