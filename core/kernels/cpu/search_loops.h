// Vector loops that look for elements.
#pragma once

#include <cstdint>

namespace ef::cpu {

struct SearchLoops {
  // The first place from `begin` on where x[i] <= limit does not hold, else `end`.
  int64_t (*next_above)(const float* x, int64_t begin, int64_t end, float limit);
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
