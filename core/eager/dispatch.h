// Eager execution of an operation: check, infer, allocate, run the kernel, record on the tapes.
#pragma once

#include <initializer_list>
#include <span>

#include "device/flush_subnormals.h"
#include "ops/attrs.h"
#include "tensor/tensor_list.h"

namespace ef {

// Runs `op` and stores its results in `outputs`, which must be empty. Inputs must not be empty
// handles.
void run(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, TensorList& outputs);

// The same for a caller that no longer needs the inputs.
void run_consuming(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                   TensorList& outputs);

// Throws unless the op's entry accepts the inputs' dtypes.
void check_inputs(const Op& op, std::span<const Tensor> inputs);

// Runs an operation with exactly one result.
Tensor call(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs = {});
inline Tensor call(const Op& op, std::initializer_list<Tensor> inputs, AttrsRef attrs = {}) {
  return call(op, std::span(inputs.begin(), inputs.size()), attrs);
}

// The same for an elementwise operation on two tensors of one dtype. The result overwrites the
// first tensor if there is no other handle on it and no tape records.
Tensor call_reusing(const Op& op, Tensor first, const Tensor& second, AttrsRef attrs = {});

// Set by the bindings: called around long-running kernels, to let other threads run. `check` runs
// the handlers of pending signals, and throws the exceptions that they raise.
struct BlockingHooks {
  void* (*release)() = nullptr;
  void (*acquire)(void*) = nullptr;
  void (*check)(void*) = nullptr;
};
extern BlockingHooks blocking_hooks;

// The scope in which a kernel runs: subnormals are flushed to zero, and Python's lock is released
// if the kernel is expected to take enough `nanoseconds`.
class KernelRegion {
 public:
  explicit KernelRegion(double nanoseconds) {
    if (nanoseconds > 20'000 && blocking_hooks.release) state_ = blocking_hooks.release();
  }
  ~KernelRegion() {
    if (state_) blocking_hooks.acquire(state_);
  }
  KernelRegion(const KernelRegion&) = delete;
  KernelRegion& operator=(const KernelRegion&) = delete;

  // The state for Interruptible; null if Python's lock is not released.
  void* state() const { return state_; }

 private:
  const FlushSubnormals flush_;
  void* state_ = nullptr;
};

}  // namespace ef
