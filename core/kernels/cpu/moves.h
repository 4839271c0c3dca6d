// Copies between strided layouts, shared by transposes, slices, joins and repeats.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace ef::cpu {

// A nest of loops, outermost first, that copies one element a step. Strides count elements; an
// input stride may be 0 (repeat) or negative (reverse).
class StridedMove {
 public:
  // Adds the next inner loop. Drops loops of one step, and merges contiguous neighbours.
  void add(int64_t size, int64_t out_stride, int64_t in_stride);
  // Runs the loops from these addresses. Strings are copied as strings.
  void run(DType dtype, void* out, const void* in) const;
  // Whether it copies one contiguous block.
  bool contiguous() const { return rank_ == 0 || (rank_ == 1 && out_[0] == 1 && in_[0] == 1); }

 private:
  friend class MoveRunner;
  static constexpr int kMaxLoops = kMaxLongAxes;

  bool empty_ = false;
  int rank_ = 0;
  int64_t size_[kMaxLoops];
  int64_t out_[kMaxLoops];
  int64_t in_[kMaxLoops];
};

// Copies `count` contiguous elements, on several threads if they are many.
void copy_elements(DType dtype, void* out, const void* in, int64_t count);

}  // namespace ef::cpu
