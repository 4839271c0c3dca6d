// Batched tensors: several tensors of one shape, for backward passes with many rows at once.
//
// An operation with such an input is checked and inferred for one row, and runs once on the rows
// together, by the rule of its family (batching_rules.cpp) or, without one, once for each row.
// Tapes and observers see only the operations on all rows. Python never sees a batched tensor.
#pragma once

#include "ops/attrs.h"
#include "tensor/tensor_list.h"
#include "tensor/tensor_spec.h"

namespace ef {

namespace ops {
struct StridedSliceAttrs;
}

// Creates a batched tensor of rows[0], rows[1], ...; its shape is that of one row.
Tensor batched(Tensor rows);
// The rows, with the batch axis in front; an empty handle if `tensor` is not batched.
Tensor rows_of(const Tensor& tensor);
inline bool is_batched(const Tensor& tensor) { return static_cast<bool>(rows_of(tensor)); }
// The rows of a batched tensor; another tensor is repeated `count` times.
Tensor as_rows(const Tensor& tensor, int64_t count);

// A call in which some inputs are batched, all with `count` rows.
struct BatchedCall {
  const Op& op;
  std::span<const Tensor> inputs;
  AttrsRef attrs;
  const SpecList& specs;  // of one row
  int64_t count;
  TensorList& outputs;

  // Input i with the batch axis in front, or unchanged if it is not batched.
  Tensor whole(size_t i) const;
  // Adds the result of all rows, each of which has the inferred shape.
  void add(Tensor rows) const { outputs.push_back(batched(std::move(rows))); }
};

// The attributes of a strided slice of one row, changed to slice all rows.
ops::StridedSliceAttrs slice_of_rows(const ops::StridedSliceAttrs& slice);

void run_batched(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                 const SpecList& specs, TensorList& outputs);

// Runs a call for all rows at once; false if its family has no rule for it.
bool run_by_rule(const BatchedCall& call);

}  // namespace ef
