// The layout of broadcast operands: merged loops, and iteration over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "device/isa.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

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

// Writes elements [begin, begin + total) of an operand contiguously; `layout` has its own loops.
void expand(const BroadcastLayout<1>& layout, int64_t element_bytes, const void* data,
            int64_t begin, int64_t total, void* out);

// An operand of a broadcast, which is read in contiguous blocks.
class BroadcastOperand {
 public:
  // The operand's shape must broadcast to `out`.
  BroadcastOperand(const Shape& out, const Tensor& operand, int64_t element_bytes)
      : layout_(broadcast_layout<1>(out, {&operand.shape()})),
        data_(static_cast<const char*>(operand.raw_data())),
        bytes_(element_bytes) {}

  // Elements [begin, begin + count): in place if they are contiguous, otherwise written to `block`.
  const void* part(int64_t begin, int64_t count, void* block) const {
    if (layout_.rank == 1 && layout_.stride[0][0] == 1) return data_ + begin * bytes_;
    expand(layout_, bytes_, data_, begin, count, block);
    return block;
  }

 private:
  BroadcastLayout<1> layout_;
  const char* data_;
  int64_t bytes_;
};

struct SixteenBytes {
  uint64_t low, high;
};

// Loops that repeat elements, by the logarithm of the element size.
struct Expansions {
  // Writes `total` elements: each element of `from`, `step` elements apart, `length` times, the
  // first one only `left` times.
  void (*each[5])(void* to, const void* from, int64_t step, int64_t length, int64_t left,
                  int64_t total);
  // Writes `total` elements of a row of `length`, repeated, beginning with element `first`.
  void (*row[5])(void* to, const void* row, int64_t length, int64_t first, int64_t total);
};

EF_EVERY_ISA(Expansions, expansions)

}  // namespace ef::cpu
