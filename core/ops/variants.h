// Variant tensors of any shape: sums, zeros, and ragged tensors as their elements.
#pragma once

#include "ops/attrs.h"
#include "tensor/tensor.h"

namespace ef::ops {

extern const Op variant_add;         // two tensors of one shape; empty elements count as zeros
extern const Op variant_zeros_like;  // input

// Whether each row of a ragged tensor becomes an element, rather than the tensor itself.
struct RaggedToVariantAttrs {
  bool batched_input;
};
extern const Op ragged_to_variant;  // values, the splits from the outermost

struct RaggedToVariantGradAttrs {
  bool batched_input;
  DTypeIn<kAnyTypes> dtype;
  Ints shape;  // of the values
};
extern const Op ragged_to_variant_grad;  // dy, the splits from the outermost

struct RaggedFromVariantAttrs {
  int64_t input_ragged_rank;  // of each element; -1 if the output's rank determines it
  int64_t output_ragged_rank;
  DTypeIn<kAnyTypes> values_dtype;
  DTypeIn<kIndexTypes> splits_dtype = DType::kInt64;
};
extern const Op ragged_from_variant;  // encoded -> the splits from the outermost, the values

}  // namespace ef::ops
