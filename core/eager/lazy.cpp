// Pending calls, which run when their result is first read.
#include "eager/lazy.h"

#include <mutex>
#include <utility>

#include "device/flush_subnormals.h"
#include "device/parallel.h"

namespace ef {
namespace {

class LazyResult final : public LazyValue {
 public:
  LazyResult(LazyCall call, TensorSpec spec) : call_(std::move(call)), spec_(std::move(spec)) {}

  // Several threads may access it at once: one computes, the others wait. The lock is never held
  // while waiting for Python's, so there is no deadlock.
  void settle(const Settler& settler) override {
    std::optional<LazyCall> done;
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

  std::optional<LazyCall> call() {
    const std::lock_guard lock(mutex_);
    return call_;
  }

 private:
  std::mutex mutex_;
  std::optional<LazyCall> call_;
  TensorSpec spec_;
};

}  // namespace

Tensor make_lazy(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                 const TensorSpec& spec) {
  LazyCall call;
  call.op = &op;
  for (const Tensor& input : inputs) call.inputs.push_back(input);
  call.attrs = attrs;
  return Tensor(TensorImpl::create_lazy(spec.dtype, spec.shape,
                                        std::make_unique<LazyResult>(std::move(call), spec)));
}

std::optional<LazyCall> lazy_call(const Tensor& tensor) {
  LazyValue* const value = tensor.impl()->lazy();
  if (!value) return std::nullopt;
  auto* const result = dynamic_cast<LazyResult*>(value);
  return result ? result->call() : std::nullopt;
}

}  // namespace ef
