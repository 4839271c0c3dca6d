// Broadcast operands as contiguous elements.
#include "kernels/cpu/broadcast.h"

#include <bit>

namespace ef::cpu {

void expand(const BroadcastLayout<1>& layout, int64_t element_bytes, const void* data,
            int64_t begin, int64_t total, void* out) {
  const Expansions& loops = best::expansions();
  const auto size = static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(element_bytes)));
  const auto from = [&](int64_t element) {
    return static_cast<const char*>(data) + element * element_bytes;
  };
  const auto to = [&](int64_t element) {
    return static_cast<char*>(out) + element * element_bytes;
  };
  const bool repeats = layout.inner_stride(0) == 0;
  const int64_t length = layout.inner();
  const int64_t step = layout.rank < 2 ? 0 : layout.stride[0][layout.rank - 2];
  if (layout.rank < 2 || (!repeats && step != 0)) {
    for_stretches(layout, begin, total, [&](int64_t done, const int64_t* offset, int64_t count) {
      if (repeats) {
        loops.each[size](to(done), from(offset[0]), 0, count, count, count);
      } else {
        std::memcpy(to(done), from(offset[0]), static_cast<size_t>(count * element_bytes));
      }
    });
    return;
  }
  // The two innermost loops at once: a row that is repeated, or elements that are.
  BroadcastLayout<1> units = layout;
  const int last = --units.rank - 1;
  const int64_t unit = units.size[last] *= length;
  units.stride[0][last] = 0;
  for_stretches(units, begin, total, [&](int64_t done, const int64_t* offset, int64_t count) {
    const int64_t at = done == 0 ? begin % unit : 0;
    if (repeats) {
      loops.each[size](to(done), from(offset[0] + at / length * step), step, length,
                       length - at % length, count);
    } else {
      loops.row[size](to(done), from(offset[0]), length, at % length, count);
    }
  });
}

}  // namespace ef::cpu
