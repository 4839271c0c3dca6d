// A call for inference, and the specs of its outputs.
#pragma once

#include <span>

#include "ops/attrs.h"
#include "tensor/tensor.h"
#include "tensor/tensor_spec.h"

namespace ef {

// Computes output dtypes and shapes from those of the inputs. Never reads values.
//
// If inputs are symbolic, their shapes may be partial (Shape::ranked(), kUnknownSize) and
// attributes unknown (kUnknownInt, Ints::unknown()). `infer` derives all that the known sizes
// determine, and throws only if no values of the unknown sizes are valid.
class InferContext {
 public:
  InferContext(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, SpecList& outputs,
               bool symbolic = false)
      : op_(op), inputs_(inputs), attrs_(attrs), outputs_(outputs), symbolic_(symbolic) {}
  // Whether an input has no value. Sizes that depend on values are then unknown.
  bool symbolic() const { return symbolic_; }
  const Op& op() const { return op_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  DType dtype(int i) const { return inputs_[i].dtype(); }
  const Shape& shape(int i) const { return inputs_[i].shape(); }
  AttrsRef attrs() const { return attrs_; }
  template <class T>
  const T& attrs() const {
    return attrs_.as<T>();
  }
  void add_output(DType dtype, const Shape& shape) {
    TensorSpec& spec = outputs_.emplace_back();
    spec.dtype = dtype;
    spec.shape = shape;
  }

 private:
  const Op& op_;
  std::span<const Tensor> inputs_;
  AttrsRef attrs_;
  SpecList& outputs_;
  bool symbolic_;
};

using InferFn = void (*)(InferContext&);

// The specs of a call's outputs.
SpecList infer(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, bool symbolic = false);

}  // namespace ef
