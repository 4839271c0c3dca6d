// The way of every operation: convert has happened, now check → infer → run → record.
#include "eager/dispatch.h"

#include <algorithm>
#include <optional>
#include <string>

#include "device/parallel.h"
#include "eager/batched.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/symbolic.h"
#include "eager/tape.h"

namespace ef {

BlockingHooks blocking_hooks;

namespace {

const InputSpec& input_spec(const Op& op, size_t i) {
  return op.inputs[std::min(i, op.inputs.size() - 1)];
}

std::string names_of(DTypeSet types) {
  std::string text;
  for (int i = 1; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    if (!types.contains(type)) continue;
    if (!text.empty()) text += ", ";
    text += dtype_runtime_name(type);
  }
  return text;
}

[[noreturn]] void mixed_dtypes(const Op& op, size_t i, DType expected, DType dtype) {
  invalid_argument("cannot compute ", op.tf_name, " as input #", i,
                   "(zero-based) was expected to be a ", expected, " tensor but is a ", dtype,
                   " tensor [Op:", op.tf_name, "]");
}

[[noreturn]] void bad_dtype(const Op& op, size_t i, DType dtype) {
  const InputSpec& spec = input_spec(op, i);
  if (const DType only = spec.dtypes.only(); only != DType::kInvalid) {
    mixed_dtypes(op, i, only, dtype);
  }
  const DTypeSet declared =
      spec.declared.bits() || !spec.dtypes.contains(DType::kString) ? spec.declared : kStoredTypes;
  if (declared.contains(dtype)) {
    fail(Code::kNotFound, "Could not find device for node: there is no ", op.tf_name, " of ", dtype,
         " (argument '", spec.name, "'); cast to another dtype first [Op:", op.tf_name, "]");
  }
  const std::string attr = spec.group ? cat("'", spec.group, "'") : cat("'T", spec.name, "'");
  invalid_argument("Value for attr ", attr, " of ", dtype,
                   " is not in the list of allowed values: ", names_of(spec.dtypes), " (argument '",
                   spec.name, "') [Op:", op.tf_name, "]");
}

void check_inputs(const Op& op, std::span<const Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputSpec& spec = input_spec(op, i);
    const DType dtype = inputs[i].dtype();
    if (spec.group != 0) {
      for (size_t j = 0; j < i; ++j) {
        if (input_spec(op, j).group != spec.group) continue;
        if (inputs[j].dtype() != dtype) mixed_dtypes(op, i, inputs[j].dtype(), dtype);
        break;
      }
    }
    if (!spec.dtypes.contains(dtype)) bad_dtype(op, i, dtype);
  }
}

// Without a cost function: the bytes touched, at 8 bytes a nanosecond.
double estimated_cost(const Op& op, std::span<const Tensor> inputs, const SpecList& specs,
                      const TensorList& outputs, const Attrs& attrs) {
  if (op.cost) return op.cost(inputs, specs, attrs);
  if (op.makes_outputs) return 0;
  int64_t bytes = 0;
  for (const Tensor& input : inputs) bytes += input.bytes();
  for (const Tensor& output : outputs) bytes += output.bytes();
  return static_cast<double>(bytes) / 8;
}

// Kernels that are expected to take longer than so many nanoseconds can be interrupted. Only those
// that write nothing but their own results: a variable that is changed halfway would be damaged.
constexpr double kInterruptibleCost = 20e6;

// Below this size, one pass over memory less is not worth the bookkeeping.
constexpr int64_t kLazyElements = 16'384;

bool worth_delaying(const TensorSpec& spec) {
  return spec.shape.num_elements() >= kLazyElements &&
         (spec.dtype == DType::kFloat32 || spec.dtype == DType::kFloat64);
}

// The first input without memory of its own that is not to be computed: symbolic or batched.
const Tensor* first_stand_in(std::span<const Tensor> inputs) {
  for (const Tensor& input : inputs) {
    if (input.impl()->lazy() && (is_symbolic(input) || is_batched(input))) [[unlikely]]
      return &input;
  }
  return nullptr;
}

bool any_batched(std::span<const Tensor> inputs) {
  return std::any_of(inputs.begin(), inputs.end(), is_batched);
}

void run_now(const Op& op, std::span<const Tensor> inputs, const Attrs& attrs,
             const SpecList& specs, TensorList& outputs, bool records) {
  if (op.makes_outputs) {
    outputs.resize(specs.size());
  } else {
    size_t empty = 0;
    for (const TensorSpec& spec : specs) {
      outputs.push_back(Tensor::empty(spec.dtype, spec.shape));
      empty += outputs.back().size() == 0;
    }
    // Without elements there is nothing to compute, however large the other dimensions are.
    if (empty == specs.size()) return;
  }
  const double cost = estimated_cost(op, inputs, specs, outputs, attrs);
  const KernelRegion region(cost);
  std::optional<Interruptible> interruptible;
  if (cost > kInterruptibleCost && region.state()) {
    interruptible.emplace(blocking_hooks.check, region.state());
  }
  // A value that the gradient will read has to be computed anyway.
  if (!op.takes_lazy || (records && op.need(0).inputs)) {
    for (const Tensor& input : inputs) input.impl()->settle();
  }
  KernelContext context(op, inputs, attrs, specs, outputs);
  op.kernel(context);
}

}  // namespace

void run(const Op& op, std::span<const Tensor> inputs, const Attrs& attrs, TensorList& outputs) {
  check_inputs(op, inputs);
  SpecList specs;
  InferContext infer(op, inputs, attrs, specs);
  op.infer(infer);
  const bool records = op.gradient && recording();
  if (const Tensor* unknown = first_stand_in(inputs)) [[unlikely]] {
    if (any_batched(inputs)) return run_batched(op, inputs, attrs, specs, outputs);
    if (op.sizes_from_values) unknown->impl()->settle();  // throws
    for (const TensorSpec& spec : specs) outputs.push_back(symbolic(spec));
  } else if (op.lazy && worth_delaying(specs[0])) {
    for (const Tensor& input : inputs) input.impl()->settle();
    outputs.push_back(make_lazy(op, inputs, attrs, specs[0]));
  } else {
    run_now(op, inputs, attrs, specs, outputs, records);
  }
  if (records) record_on_tapes(op, inputs, attrs, outputs);
  for (size_t k = 0; k < observers.size(); ++k) observers[k]->ran(op, inputs, attrs, outputs);
}

Tensor call(const Op& op, std::span<const Tensor> inputs, const Attrs& attrs) {
  TensorList outputs;
  run(op, inputs, attrs, outputs);
  return std::move(outputs[0]);
}

Tensor call_reusing(const Op& op, Tensor first, const Tensor& second, const Attrs& attrs) {
  if (Tensor more = rows_of(second)) [[unlikely]] {
    if (Tensor rows = rows_of(first); rows && rows.shape() == more.shape()) {
      first = {};
      return batched(call_reusing(op, std::move(rows), more, attrs));
    }
  }
  if (recording() || !observers.empty() || !first.exclusively_owned() ||
      first.shape() != second.shape() || first.dtype() != second.dtype() ||
      first_stand_in({&second, 1})) {
    return call(op, {first, second}, attrs);
  }
  second.impl()->settle();
  SpecList specs;
  specs.push_back({first.dtype(), first.shape()});
  TensorList outputs{first};
  const Tensor inputs[] = {first, second};
  const KernelRegion region(estimated_cost(op, inputs, specs, outputs, attrs));
  KernelContext context(op, inputs, attrs, specs, outputs);
  op.kernel(context);
  first.impl()->reset_id();  // tapes know the old value
  return first;
}

}  // namespace ef
