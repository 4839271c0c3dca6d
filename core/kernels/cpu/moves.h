// Copies between strided layouts, shared by transposes, slices, joins and repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"
#include "tensor/variant.h"

namespace ef::cpu {

inline std::byte* element_at(const Tensor& t, int64_t element) {
  return static_cast<std::byte*>(t.mutable_raw_data()) +
         element * static_cast<int64_t>(element_size(t.dtype()));
}

// Calls body with a value of the C++ type of an owning type's elements.
template <class Body>
void on_owning_type(DType dtype, const Body& body) {
  if (dtype == DType::kString) return body(std::string());
  body(VariantRef());
}

// An axis that may count from the end, as an index.
inline int axis_of(int64_t axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The number of elements of a shape from axis `first` on.
inline int64_t inner_size(const Shape& shape, int first) {
  int64_t size = 1;
  for (int i = first; i < shape.rank(); ++i) size *= shape[i];
  return size;
}

// A nest of loops, outermost first, that copies one element a step. Strides count elements; an
// input stride may be 0 (repeat) or negative (reverse).
class StridedMove {
 public:
  // Adds the next inner loop. Drops loops of one step, and merges contiguous neighbours.
  void add(int64_t size, int64_t out_stride, int64_t in_stride);
  // Runs the loops from these addresses. Elements that own memory are copied one by one.
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
