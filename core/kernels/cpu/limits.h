// The limits to which results are clipped.
#pragma once

#include <limits>

namespace ef::cpu {

// NaN is not clipped.
struct Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

}  // namespace ef::cpu
