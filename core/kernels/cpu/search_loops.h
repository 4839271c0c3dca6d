// Vector loops that search.
#pragma once

#include <cstdint>

#include "device/isa.h"

namespace ef::cpu {

// Boxes by their edges and areas, as a structure of arrays.
struct BoxColumns {
  const float* top;
  const float* left;
  const float* bottom;
  const float* right;
  const float* area;
};

struct SearchLoops {
  // The first index from `begin` on where x[i] <= limit does not hold, else `end`.
  int64_t (*next_above)(const float* x, int64_t begin, int64_t end, float limit);
  // Whether one of the first `count` boxes has an IoU above `most` with box `k`. It is 0 for boxes
  // without area.
  bool (*overlaps)(const BoxColumns& boxes, int64_t count, const BoxColumns& other, int64_t k,
                   float most);
};

EF_EVERY_ISA(SearchLoops, search_loops)

}  // namespace ef::cpu
