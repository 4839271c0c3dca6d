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

// Copies the first `filled` bytes repeatedly until there are `total`. Each copy doubles the filled
// part, so that the library copies long blocks.
inline void repeat_bytes(void* to, int64_t filled, int64_t total) {
  auto* const bytes = static_cast<char*>(to);
  while (filled < total) {
    const int64_t more = std::min(filled, total - filled);
    std::memcpy(bytes + filled, bytes, static_cast<size_t>(more));
    filled += more;
  }
}

// Writes one value several times.
template <class E>
void repeat(E* to, const E value, int64_t count) {
  constexpr auto kFirst = static_cast<int64_t>(64 / sizeof(E));
  constexpr auto kSize = static_cast<int64_t>(sizeof(E));
  const int64_t first = std::min(count, kFirst);
  for (int64_t i = 0; i < first; ++i) to[i] = value;
  repeat_bytes(to, first * kSize, count * kSize);
}

// The loops over one of the operands.
template <int N>
BroadcastLayout<1> layout_of(const BroadcastLayout<N>& layout, int operand) {
  const int64_t* const stride = layout.stride[operand];
  BroadcastLayout<1> own;
  for (int axis = 0; axis < layout.rank; ++axis) {
    const int last = own.rank - 1;
    if (last >= 0 && own.stride[0][last] == stride[axis] * layout.size[axis]) {
      own.size[last] *= layout.size[axis];
      own.stride[0][last] = stride[axis];
    } else {
      own.size[own.rank] = layout.size[axis];
      own.stride[0][own.rank++] = stride[axis];
    }
  }
  return own;
}

// Writes `total` elements of a row of `length`, repeated, beginning with element `first`.
template <class E>
void repeat_row(E* to, const E* row, int64_t length, int64_t first, int64_t total) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(E));
  const auto bytes = [](int64_t count) { return static_cast<size_t>(count * kSize); };
  const int64_t end = std::min(length - first, total);
  const int64_t rest = std::min(first, total - end);
  std::memcpy(to, row + first, bytes(end));
  std::memcpy(to + end, row, bytes(rest));
  repeat_bytes(to, (end + rest) * kSize, total * kSize);
}

// Writes `total` elements: each element from `from` on is repeated `length` times, the first one
// only `left` times.
template <class E>
void repeat_each(E* to, const E* from, int64_t step, int64_t length, int64_t left, int64_t total) {
  // Short stretches are written in whole blocks, whose ends the next ones overwrite.
  constexpr auto kBlock = static_cast<int64_t>(64 / sizeof(E));
  int64_t done = 0;
  for (int64_t count = left; length <= kBlock && done + kBlock <= total; from += step) {
    const E value = *from;
    for (int64_t i = 0; i < kBlock; ++i) to[done + i] = value;
    done += count;
    left = count = length;
  }
  for (; done < total; from += step) {
    const int64_t count = std::min(left, total - done);
    repeat(to + done, *from, count);
    done += count;
    left = length;
  }
}

// Writes elements [begin, begin + total) of a broadcast operand contiguously. E is an unsigned
// integer of the element's size, or any trivially copyable type of that size.
template <class E, int N>
void expand(const BroadcastLayout<N>& all, int operand, const void* data, int64_t begin,
            int64_t total, void* out) {
  const BroadcastLayout<1> layout = layout_of(all, operand);
  const auto* const from = static_cast<const E*>(data);
  auto* const to = static_cast<E*>(out);
  const int64_t length = layout.inner();
  const bool repeats = layout.inner_stride(0) == 0;
  const int64_t step = layout.rank < 2 ? 0 : layout.stride[0][layout.rank - 2];
  if (repeats && layout.rank == 2) {
    const E* const first = from + begin / length * step;
    return repeat_each(to, first, step, length, length - begin % length, total);
  }
  if (!repeats && layout.rank >= 2 && step == 0) {
    // The innermost loop is the row, which begins at the first offset.
    BroadcastLayout<1> rows = layout;
    --rows.rank;
    const int64_t row_size = length * rows.size[rows.rank - 1];
    rows.size[rows.rank - 1] = row_size;
    for_stretches(rows, begin, total, [&](int64_t done, const int64_t* offset, int64_t count) {
      repeat_row(to + done, from + offset[0], length, (begin + done) % row_size % length, count);
    });
    return;
  }
  for_stretches(layout, begin, total, [&](int64_t done, const int64_t* offset, int64_t count) {
    if (repeats) {
      repeat(to + done, from[offset[0]], count);
    } else {
      std::memcpy(to + done, from + offset[0], static_cast<size_t>(count) * sizeof(E));
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
