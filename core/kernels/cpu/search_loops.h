// Vector loops that look for elements.
#pragma once

#include <cstdint>

namespace ef::cpu {

// Boxes by their edges and areas, side by side.
struct BoxColumns {
  const float* top;
  const float* left;
  const float* bottom;
  const float* right;
  const float* area;
};

struct SearchLoops {
  // The first place from `begin` on where x[i] <= limit does not hold, else `end`.
  int64_t (*next_above)(const float* x, int64_t begin, int64_t end, float limit);
  // Whether one of the first `count` boxes shares more than `most` of their union with box `k`.
  // Boxes without area share nothing.
  bool (*overlaps)(const BoxColumns& boxes, int64_t count, const BoxColumns& other, int64_t k,
                   float most);
};

namespace baseline {
const SearchLoops& search_loops();
}
namespace avx2 {
const SearchLoops& search_loops();
}
namespace avx512 {
const SearchLoops& search_loops();
}

}  // namespace ef::cpu
