// A call for its kernel.
#pragma once

#include <span>

#include "ops/attrs.h"
#include "ops/element_loop.h"
#include "ops/op_facts.h"
#include "tensor/tensor.h"
#include "tensor/tensor_list.h"
#include "tensor/tensor_spec.h"

namespace ef {

// A kernel reads inputs and fills outputs. Outputs with the inferred specs are allocated before the
// call. Kernels of ops with `makes_outputs` assign the outputs themselves (views, copies of
// handles).
class KernelContext {
 public:
  KernelContext(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, const SpecList& specs,
                TensorList& outputs, bool owns_inputs = false)
      : op_(op),
        inputs_(inputs),
        attrs_(attrs),
        specs_(specs),
        outputs_(outputs),
        owns_inputs_(owns_inputs) {}
  const Op& op() const { return op_; }
  // TensorFlow's name of the operation.
  const char* tf_name() const { return ef::tf_name(op_); }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  // Whether the caller no longer needs the inputs. Then the kernel may reuse the memory of an input
  // without other handles.
  bool owns_inputs() const { return owns_inputs_; }
  const Tensor& input(int i) const { return inputs_[i]; }
  std::span<const Tensor> inputs() const { return inputs_; }
  AttrsRef attrs() const { return attrs_; }
  template <class T>
  const T& attrs() const {
    return attrs_.as<T>();
  }
  const TensorSpec& spec(int i) const { return specs_[i]; }
  int num_outputs() const { return static_cast<int>(specs_.size()); }
  Tensor& output(int i) const { return outputs_[i]; }

  // Runs the operation's kernel.
  void run();

 private:
  const Op& op_;
  std::span<const Tensor> inputs_;
  AttrsRef attrs_;
  const SpecList& specs_;
  TensorList& outputs_;
  bool owns_inputs_;
};

using KernelFn = void (*)(KernelContext&);

// The functions that compute an operation: on entire tensors and, if it is elementwise, on a range
// of elements.
struct Kernel {
  constexpr Kernel() = default;
  constexpr Kernel(KernelFn run, ElementLoopFn elements = nullptr) : run(run), elements(elements) {}
  void operator()(KernelContext& context) const { run(context); }

  KernelFn run = nullptr;
  ElementLoopFn elements = nullptr;
};

}  // namespace ef
