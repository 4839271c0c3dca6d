// Sums of which one operand is zero except for a part: the gradient of a slice or of gathered
// elements. The part is added to the other operand in place, so that the gradients of many slices
// of one tensor take no longer than the slices themselves.
#pragma once

#include "device/flush_subnormals.h"
#include "eager/batched.h"
#include "eager/lazy.h"
#include "eager/tape.h"
#include "kernels/cpu/array.h"
#include "kernels/cpu/indexing.h"
#include "ops/array.h"
#include "ops/indexing.h"

namespace ef {

// Whether the results of an operation are zero except for a part.
inline bool gives_part(const Op* op) {
  return op == &ops::strided_slice_grad || op == &ops::gather_grad || op == &ops::gather_nd_grad;
}

// Adds the part, given the attributes of the operation whose gradient it is.
inline void write_part(const Tensor& whole, const ops::StridedSliceAttrs& slice,
                       const Tensor& values) {
  cpu::add_to_slice(whole, values, slice);
}
inline void write_part(const Tensor& whole, const ops::GatherAttrs& gather, const Tensor& values,
                       const Tensor& indices) {
  cpu::add_gathered(whole, values, indices, gather.axis, gather.batch_dims);
}
inline void write_part(const Tensor& whole, const ops::GatherNdAttrs& gather, const Tensor& values,
                       const Tensor& indices) {
  cpu::add_gathered_nd(whole, values, indices, gather.batch_dims);
}

// The same if no other value changes. Returns false, with nothing done, if `whole` is empty or has
// other handles, if a tape has to see the sum, or if an input is batched.
template <class Attrs, class... Inputs>
bool add_part(const Tensor& whole, const Attrs& attrs, const Inputs&... inputs) {
  if (!whole.exclusively_owned() || recording() || (is_batched(inputs) || ...)) return false;
  if (owns_memory(whole.dtype())) return false;
  (inputs.impl()->settle(), ...);
  const FlushSubnormals flush;
  write_part(whole, attrs, inputs...);
  whole.impl()->reset_id();  // tapes know the old value
  return true;
}

}  // namespace ef
