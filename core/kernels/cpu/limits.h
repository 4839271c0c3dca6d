// The numbers that results are brought between.
#pragma once

#include <limits>

namespace ef::cpu {

// NaN stays.
struct Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

}  // namespace ef::cpu
