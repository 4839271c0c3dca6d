// Vector loops that search.
#include "kernels/cpu/search_loops.h"

#include <cstdint>

namespace ef::cpu::EF_ISA {
namespace {

int64_t next_above(const float* x, int64_t begin, int64_t end, float limit) {
  constexpr int kBlock = 32;
  int64_t i = begin;
  for (; i + kBlock <= end; i += kBlock) {
    int any = 0;
#pragma omp simd reduction(| : any)
    for (int j = 0; j < kBlock; ++j) any |= !(x[i + j] <= limit);
    if (any) break;
  }
  while (i < end && x[i] <= limit) ++i;
  return i;
}

bool overlaps(const BoxColumns& boxes, int64_t count, const BoxColumns& other, int64_t k,
              float most) {
  const float top = other.top[k];
  const float left = other.left[k];
  const float bottom = other.bottom[k];
  const float right = other.right[k];
  const float area = other.area[k];
  if (!(area > 0)) return false;
  constexpr int64_t kBlock = 64;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    int any = 0;
#pragma omp simd reduction(| : any)
    for (int64_t i = begin; i < end; ++i) {
      const float low = boxes.bottom[i] < bottom ? boxes.bottom[i] : bottom;
      const float high = boxes.top[i] > top ? boxes.top[i] : top;
      const float near = boxes.right[i] < right ? boxes.right[i] : right;
      const float far = boxes.left[i] > left ? boxes.left[i] : left;
      const float height = low - high > 0 ? low - high : 0;
      const float width = near - far > 0 ? near - far : 0;
      const float shared = height * width;
      any |= (shared > most * (boxes.area[i] + area - shared)) & (boxes.area[i] > 0);
    }
    if (any) return true;
  }
  return false;
}

}  // namespace

const SearchLoops& search_loops() {
  static constexpr SearchLoops loops{next_above, overlaps};
  return loops;
}

}  // namespace ef::cpu::EF_ISA
