// Running an operation now: check, infer, allocate, run the kernel, record on the tapes.
#pragma once

#include <initializer_list>
#include <span>

#include "ops/attrs.h"
#include "ops/op.h"

namespace ef {

// Runs `op` and puts its results into `outputs`, which must be empty. Inputs must not be empty
// handles.
void run(const Op& op, std::span<const Tensor> inputs, const Attrs& attrs, TensorList& outputs);

// Runs an operation with exactly one result.
Tensor call(const Op& op, std::span<const Tensor> inputs, const Attrs& attrs = {});
inline Tensor call(const Op& op, std::initializer_list<Tensor> inputs, const Attrs& attrs = {}) {
  return call(op, std::span(inputs.begin(), inputs.size()), attrs);
}

// The same for an elementwise operation on two tensors of one dtype, where the result may be
// written over the first one: it is, if nobody else can see that tensor and no tape is recording.
Tensor call_reusing(const Op& op, Tensor first, const Tensor& second, const Attrs& attrs = {});

// Set by the bindings: called around kernels that run long enough to let other threads work.
struct BlockingHooks {
  void* (*release)() = nullptr;
  void (*acquire)(void*) = nullptr;
};
extern BlockingHooks blocking_hooks;

// Lets other Python threads run while it lives, if `nanoseconds` of work justify it.
class BlockingRegion {
 public:
  explicit BlockingRegion(double nanoseconds) {
    if (nanoseconds > 20'000 && blocking_hooks.release) state_ = blocking_hooks.release();
  }
  ~BlockingRegion() {
    if (state_) blocking_hooks.acquire(state_);
  }
  BlockingRegion(const BlockingRegion&) = delete;
  BlockingRegion& operator=(const BlockingRegion&) = delete;

 private:
  void* state_ = nullptr;
};

}  // namespace ef
