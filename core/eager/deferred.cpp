// Deferred calls.
#include "eager/deferred.h"

#include <mutex>
#include <utility>

#include "device/flush_subnormals.h"
#include "device/parallel.h"

namespace ef {
namespace {

class DeferredResult final : public DeferredValue {
 public:
  DeferredResult(DeferredCall call, TensorSpec spec)
      : call_(std::move(call)), spec_(std::move(spec)) {}

  // Several threads may ask at once: one computes, the others wait. The lock is never held while
  // waiting for Python's, so the two cannot block each other.
  void settle(const Settler& settler) override {
    std::optional<DeferredCall> done;
    const std::lock_guard lock(mutex_);
    if (!call_) return;
    SpecList specs;
    specs.push_back(spec_);
    TensorList outputs{Tensor::empty(spec_.dtype, spec_.shape)};
    const FlushSubnormals flush;
    const Interruptible none(nullptr, nullptr);  // a check would wait for Python's lock
    KernelContext context(*call_->op, call_->inputs, call_->attrs, specs, outputs);
    call_->op->kernel(context);
    settler(outputs[0]);
    std::swap(done, call_);
  }

  std::optional<DeferredCall> call() {
    const std::lock_guard lock(mutex_);
    return call_;
  }

 private:
  std::mutex mutex_;
  std::optional<DeferredCall> call_;
  TensorSpec spec_;
};

}  // namespace

Tensor defer(const Op& op, std::span<const Tensor> inputs, const Attrs& attrs,
             const TensorSpec& spec) {
  DeferredCall call;
  call.op = &op;
  for (const Tensor& input : inputs) call.inputs.push_back(input);
  call.attrs = attrs;
  return Tensor(TensorImpl::create_deferred(
      spec.dtype, spec.shape, std::make_unique<DeferredResult>(std::move(call), spec)));
}

std::optional<DeferredCall> deferred_call(const Tensor& tensor) {
  DeferredValue* const value = tensor.impl()->deferred();
  if (!value) return std::nullopt;
  auto* const result = dynamic_cast<DeferredResult*>(value);
  return result ? result->call() : std::nullopt;
}

}  // namespace ef
