// Batched tensors, and operations that process their rows one by one.
#include "eager/batched.h"

#include <memory>
#include <utility>
#include <vector>

#include "eager/dispatch.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "tensor/error.h"

namespace ef {
namespace {

class Stack final : public LazyValue {
 public:
  explicit Stack(Tensor rows) : rows_(std::move(rows)) {}
  const Tensor& rows() const { return rows_; }
  void settle(const Settler&) override {
    fail(Code::kInternal, "The value of one of ", rows_.dim(0), " batched rows of shape ",
         rows_.shape(), " was asked for.");
  }

 private:
  Tensor rows_;
};

// Splits rows, as results of a recorded operation.
TensorList unbatched(const Tensor& rows) {
  TensorList parts;
  run(ops::unstack, {&rows, 1}, ops::UnstackAttrs{}, parts);
  return parts;
}

void run_each(const BatchedCall& batched_call) {
  const size_t arity = batched_call.inputs.size();
  std::vector<TensorList> rows(arity);
  for (size_t i = 0; i < arity; ++i) {
    if (const Tensor whole = rows_of(batched_call.inputs[i])) rows[i] = unbatched(whole);
  }
  std::vector<TensorList> results(batched_call.specs.size());
  for (int64_t row = 0; row < batched_call.count; ++row) {
    TensorList inputs;
    for (size_t i = 0; i < arity; ++i) {
      inputs.push_back(rows[i].empty() ? batched_call.inputs[i]
                                       : rows[i][static_cast<size_t>(row)]);
    }
    TensorList outputs;
    run(batched_call.op, inputs, batched_call.attrs, outputs);
    for (size_t j = 0; j < outputs.size(); ++j) results[j].push_back(outputs[j]);
  }
  for (const TensorList& parts : results) {
    batched_call.add(call(ops::stack, parts, ops::StackAttrs{}));
  }
}

}  // namespace

Tensor batched(Tensor rows) {
  Shape shape = rows.shape();
  shape.erase(0);
  const DType dtype = rows.dtype();
  return Tensor(TensorImpl::create_lazy(dtype, shape, std::make_unique<Stack>(std::move(rows))));
}

Tensor rows_of(const Tensor& tensor) {
  LazyValue* const value = tensor.impl()->lazy();
  if (!value) return {};
  const auto* stack = dynamic_cast<const Stack*>(value);
  return stack ? stack->rows() : Tensor();
}

Tensor as_rows(const Tensor& tensor, int64_t count) {
  if (Tensor rows = rows_of(tensor)) return rows;
  Shape shape = tensor.shape();
  shape.insert(0, count);
  return broadcast_to_shape(tensor, shape);
}

Tensor BatchedCall::whole(size_t i) const {
  const Tensor rows = rows_of(inputs[i]);
  return rows ? rows : inputs[i];
}

void run_batched(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                 const SpecList& specs, TensorList& outputs) {
  int64_t count = 0;
  for (const Tensor& input : inputs) {
    if (const Tensor rows = rows_of(input)) count = rows.dim(0);
  }
  const BatchedCall batched_call{op, inputs, attrs, specs, count, outputs};
  if (!run_by_rule(batched_call)) run_each(batched_call);
}

}  // namespace ef
