// The op table's entry: all the facts that the engine has about one operation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/attrs.h"
#include "ops/gradient_context.h"
#include "ops/infer_context.h"
#include "ops/input_spec.h"
#include "ops/kernel_context.h"
#include "tensor/tensor_spec.h"

namespace ef {

// An attribute that TensorFlow passes as a tensor: the name of its type attribute (int32 or int64),
// or of its only dtype.
struct TensorAttr {
  const char* name;
  const char* type;
};

// How a function treats weak tensors and operands of several dtypes where a program has enabled
// promotion (bindings/promotion.h).
enum class Promotion : uint8_t {
  kDefault,   // kWeak for an elementwise operation with one input, otherwise kNone
  kNone,      // the result is not weak
  kWeak,      // the result is weak if the first input is
  kOperands,  // the first two inputs are promoted, and the result is weak if both are
  kStrong,    // the first two inputs are promoted, and the result is not weak
};

// Estimated run time in nanoseconds on one thread; decides whether the GIL is released.
using CostFn = double (*)(std::span<const Tensor> inputs, const SpecList& outputs, AttrsRef);

struct OpSpec {
  const char* name;     // in eagerflow._core.ops
  const char* tf_name;  // TensorFlow's name, for messages: "AddV2"
  // The operation of StableHLO or CHLO with the same operands and result, or the direction of its
  // `compare`. Null if a rule in lower/rules/ composes several, or if programs do not support it.
  const char* stablehlo = nullptr;
  std::vector<InputSpec> inputs;
  const AttrsType* attrs = nullptr;  // attrs_of<...>(), or null if there are none
  std::vector<TensorAttr> tensor_attrs = {};
  InferFn infer = nullptr;
  int outputs = 1;  // unless it returns a list
  Kernel kernel = {};
  GradFn gradient = nullptr;
  // For each input, the tensors that its gradient reads; the last entry serves all further inputs.
  std::vector<Need> needs = {};
  // The tensors whose sizes the gradient reads. If these sizes are known while tracing, the
  // gradient adds ordinary nodes. By default all sizes, also those of gradients.
  Need sizes = {0xFFFF, 0xFFFF};
  // Whether the gradient reads sizes only to sum over the axes along which an operand was
  // broadcast. That is so of elementwise operations, which need not say so, and of products of two
  // matrices.
  bool only_sums = false;
  // What the gradient may be recorded without. Elementwise operations need not say so.
  Unknown may_be_unknown = Unknown::kNone;
  // Whether each element of the result depends on the elements of the inputs at the same indices,
  // after broadcasting. Not needed if `infer` is one of ops/elementwise_infer.h.
  bool elementwise = false;
  Promotion promotion = Promotion::kDefault;
  // Whether a sparse tensor's result is the result of its values, as in TensorFlow: for operations
  // that map zero to zero.
  bool of_sparse_values = false;
  bool makes_outputs = false;
  // The result has the first input's shape and dtype. A kernel whose output is that input changes
  // it in place, after all checks of values.
  bool changes_first = false;
  bool view = false;               // the result is a view of the input: the kernel computes nothing
  bool sizes_from_values = false;  // the inferred shapes are not the outputs' true shapes
  bool checks_values = false;      // the kernel rejects values, even if the result is empty
  bool takes_lazy = false;         // the kernel handles lazy inputs itself
  bool deferrable = false;         // large results may be deferred, but not in chains
  bool returns_list = false;  // the number of outputs depends on the call; Python returns a list
  CostFn cost = nullptr;
  const char* doc = "";
};

// A registered operation. Define one with static storage duration in ops/*.cpp; declare it in the
// header of the same name so that gradients and other code can call it.
struct Op : OpSpec {
  explicit Op(OpSpec spec);
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;
  int index = 0;  // position in the table
  Need need(size_t input) const {
    if (needs.empty()) return {};
    return needs[input < needs.size() ? input : needs.size() - 1];
  }
};

// All registered operations.
const std::vector<const Op*>& op_table();

}  // namespace ef
