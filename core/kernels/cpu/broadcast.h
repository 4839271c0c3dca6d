// The layout of broadcast operands: merged loops, and iteration over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tensor/shape.h"

namespace ef::cpu {

// Loops over the elements of an output, outermost first, with the strides of N operands in
// elements. An operand's innermost stride is 1, or 0 where it is repeated.
template <int N>
struct BroadcastLayout {
  int rank = 0;
  int64_t size[kMaxLongAxes];
  int64_t stride[N][kMaxLongAxes];

  int64_t inner() const { return rank == 0 ? 1 : size[rank - 1]; }
  int64_t inner_stride(int k) const { return rank == 0 ? 0 : stride[k][rank - 1]; }
};

// The operands' shapes must broadcast to `out`, which must not be empty.
template <int N>
BroadcastLayout<N> broadcast_layout(const Shape& out, const Shape* const (&shapes)[N]) {
  // Built innermost first, then reversed.
  BroadcastLayout<N> layout;
  int64_t step[N];
  std::fill_n(step, N, int64_t{1});
  int loops = 0;
  for (int from_end = 0; from_end < out.rank(); ++from_end) {
    const int64_t size = out.back(from_end);
    int64_t strides[N];
    for (int k = 0; k < N; ++k) {
      const int64_t dim = from_end < shapes[k]->rank() ? shapes[k]->back(from_end) : 1;
      strides[k] = dim == 1 ? 0 : step[k];
      step[k] *= dim;
    }
    if (size == 1) continue;
    bool merges = loops > 0;
    for (int k = 0; k < N && merges; ++k) {
      merges = strides[k] == layout.stride[k][loops - 1] * layout.size[loops - 1];
    }
    if (merges) {
      layout.size[loops - 1] *= size;
      continue;
    }
    layout.size[loops] = size;
    for (int k = 0; k < N; ++k) layout.stride[k][loops] = strides[k];
    ++loops;
  }
  layout.rank = loops;
  std::reverse(layout.size, layout.size + loops);
  for (int k = 0; k < N; ++k) std::reverse(layout.stride[k], layout.stride[k] + loops);
  return layout;
}

// Calls body(done, offsets, count) for each stretch of [begin, begin + total) within an innermost
// loop, `done` elements after `begin`.
template <int N, class Body>
void for_stretches(const BroadcastLayout<N>& layout, int64_t begin, int64_t total,
                   const Body& body) {
  int64_t index[kMaxLongAxes];
  int64_t offset[N] = {};
  int64_t rest = begin;
  for (int axis = layout.rank - 1; axis >= 0; --axis) {
    index[axis] = rest % layout.size[axis];
    rest /= layout.size[axis];
    for (int k = 0; k < N; ++k) offset[k] += index[axis] * layout.stride[k][axis];
  }
  const int last = layout.rank - 1;
  for (int64_t done = 0; done < total;) {
    const int64_t start = last < 0 ? 0 : index[last];
    const int64_t count = std::min(layout.inner() - start, total - done);
    body(done, static_cast<const int64_t*>(offset), count);
    done += count;
    if (done >= total) return;
    // Rewinds the innermost loop and advances the nearest outer loop that has steps left.
    for (int k = 0; k < N; ++k) offset[k] -= start * layout.inner_stride(k);
    index[last] = 0;
    for (int axis = last - 1; axis >= 0; --axis) {
      for (int k = 0; k < N; ++k) offset[k] += layout.stride[k][axis];
      if (++index[axis] < layout.size[axis]) break;
      index[axis] = 0;
      for (int k = 0; k < N; ++k) offset[k] -= layout.stride[k][axis] * layout.size[axis];
    }
  }
}

// Writes one value several times: what is there is copied, which compilers and libraries do by
// vectors.
template <class E>
void repeat(E* to, const E value, int64_t count) {
  constexpr auto kFirst = static_cast<int64_t>(64 / sizeof(E));
  int64_t done = std::min(count, kFirst);
  for (int64_t i = 0; i < done; ++i) to[i] = value;
  while (done < count) {
    const int64_t more = std::min(done, count - done);
    std::memcpy(to + done, to, static_cast<size_t>(more) * sizeof(E));
    done += more;
  }
}

// Writes elements [begin, begin + total) of a broadcast operand contiguously. E is an unsigned
// integer of the element's size, or any trivially copyable type of that size.
template <class E, int N>
void expand(const BroadcastLayout<N>& layout, int operand, const void* data, int64_t begin,
            int64_t total, void* out) {
  const auto* from = static_cast<const E*>(data);
  auto* to = static_cast<E*>(out);
  const bool repeats = layout.inner_stride(operand) == 0;
  if (repeats && layout.rank == 2) {
    // A column: repeats each element along its row.
    const int64_t length = layout.inner();
    const E* source = from + begin / length * layout.stride[operand][0];
    int64_t count = length - begin % length;
    for (int64_t done = 0; done < total; source += layout.stride[operand][0]) {
      const int64_t end = std::min(done + count, total);
      repeat(to + done, *source, end - done);
      done = end;
      count = length;
    }
    return;
  }
  for_stretches(layout, begin, total, [&](int64_t done, const int64_t* offset, int64_t count) {
    const E* source = from + offset[operand];
    if (repeats) {
      repeat(to + done, *source, count);
    } else {
      for (int64_t i = 0; i < count; ++i) to[done + i] = source[i];
    }
  });
}

struct SixteenBytes {
  uint64_t low, high;
};

template <int N>
void expand_bytes(const BroadcastLayout<N>& layout, int operand, int64_t element_bytes,
                  const void* data, int64_t begin, int64_t total, void* out) {
  switch (element_bytes) {
    case 1: return expand<uint8_t>(layout, operand, data, begin, total, out);
    case 2: return expand<uint16_t>(layout, operand, data, begin, total, out);
    case 4: return expand<uint32_t>(layout, operand, data, begin, total, out);
    case 8: return expand<uint64_t>(layout, operand, data, begin, total, out);
    default: return expand<SixteenBytes>(layout, operand, data, begin, total, out);
  }
}

}  // namespace ef::cpu
