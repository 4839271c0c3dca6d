// The path of every operation after conversion: check → infer → run → record.
#include "eager/dispatch.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "eager/attention.h"
#include "eager/batched.h"
#include "eager/device_backend.h"
#include "eager/interruptible_region.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/profile.h"
#include "eager/tape.h"
#include "graph/record.h"
#include "ops/input_checks.h"
#include "ops/op.h"

namespace ef {

BlockingHooks blocking_hooks;

namespace {

// Whether the result of a call may be deferred: it may be large, and the operation supports it.
[[gnu::always_inline]] inline bool may_defer_result(const Op& op, std::span<const Tensor> inputs) {
  if (!op.kernel.elements && !op.deferrable) return false;
  for (const Tensor& input : inputs) {
    if (input.size() >= kLazyElements) return true;
  }
  return false;
}

const InputSpec& input_spec(const Op& op, size_t i) {
  return op.inputs[std::min(i, op.inputs.size() - 1)];
}

[[gnu::cold, noreturn]] void refuse_inputs(const Op& op, std::span<const Tensor> inputs) {
  std::vector<TypedInput> typed;
  for (size_t i = 0; i < inputs.size(); ++i) {
    typed.push_back({&input_spec(op, i), inputs[i].dtype()});
  }
  // While a graph is built, TensorFlow's error names both inputs.
  for (size_t i = 0; graph::building() && i < typed.size(); ++i) {
    const auto first = static_cast<size_t>(typed[i].spec->first);
    if (typed[i].dtype == typed[first].dtype) continue;
    fail(Code::kTypeError, "Input '", typed[i].spec->name, "' of '", op.tf_name, "' Op has type ",
         dtype_name(typed[i].dtype), " that does not match type ", dtype_name(typed[first].dtype),
         " of argument '", typed[first].spec->name, "'.");
  }
  graph::with_type_errors([&] { check_dtypes(op.tf_name, typed); });
  fail(Code::kInternal, op.name, " refuses dtypes that it declares.");
}

// The cost of operations without a cost function: the bytes that they access, at 8 per nanosecond.
[[gnu::hot]] double estimated_cost(const Op& op, std::span<const Tensor> inputs,
                                   const SpecList& specs, const TensorList& outputs,
                                   AttrsRef attrs) {
  if (op.cost) return op.cost(inputs, specs, attrs);
  if (op.makes_outputs) return 0;
  int64_t bytes = 0;
  for (const Tensor& input : inputs) bytes += input.bytes();
  for (const Tensor& output : outputs) bytes += output.bytes();
  return static_cast<double>(bytes) / 8;
}

// The first input without memory that is not lazy: symbolic or batched.
const Tensor* first_symbolic_or_batched(std::span<const Tensor> inputs) {
  for (const Tensor& input : inputs) {
    if (input.impl()->lazy() && (is_symbolic(input) || is_batched(input))) [[unlikely]]
      return &input;
  }
  return nullptr;
}

// Whether a tensor is symbolic without belonging to a graph. A call with such a tensor adds no node
// to the graph that is being built.
bool is_free_symbol(const Tensor& input) {
  const Symbol* const symbol = input.impl()->lazy() ? symbol_of(input) : nullptr;
  return symbol && !symbol->in_graph();
}

bool any_batched(std::span<const Tensor> inputs) {
  return std::any_of(inputs.begin(), inputs.end(), is_batched);
}

void run_now(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, const SpecList& specs,
             TensorList& outputs, bool owns_inputs) {
  if (op.makes_outputs) {
    outputs.resize(specs.size());
  } else if (op.changes_first && owns_inputs && observers.empty() && !recording() &&
             inputs[0].exclusively_owned() && inputs[0].size() > 0) {
    inputs[0].impl()->reset_id();  // tapes know the old value
    outputs.push_back(inputs[0]);
  } else {
    size_t empty = 0;
    for (const TensorSpec& spec : specs) {
      outputs.push_back(Tensor::empty(spec.dtype, spec.shape));
      empty += outputs.back().size() == 0;
    }
    // Without elements there is nothing to compute, even if other dimensions are large.
    if (empty == specs.size() && !op.checks_values) return;
  }
  if (op.view) {
    KernelContext context(op, inputs, attrs, specs, outputs);
    compute_now(inputs[0]);
    return op.kernel(context);
  }
  double cost = estimated_cost(op, inputs, specs, outputs, attrs);
  bool pending = false;
  for (const Tensor& input : inputs) {
    if (!input.impl()->lazy()) [[likely]]
      continue;
    pending = true;
    cost += pending_cost(input);
  }
  const InterruptibleRegion region(cost);
  TensorList computed;
  if (pending && !op.takes_lazy) [[unlikely]] {
    if (inputs[0].impl()->lazy()) {
      if (run_attention(op, inputs, attrs, outputs)) return;
      if (Tensor value = value_for_call(inputs[0], op)) {
        computed.push_back(std::move(value));
        for (const Tensor& input : inputs.subspan(1)) computed.push_back(input);
        inputs = computed;
      }
    }
    for (const Tensor& input : inputs) input.impl()->settle();
  }
  // Observers look at the inputs afterwards, so kernels must not overwrite them.
  KernelContext context(op, inputs, attrs, specs, outputs, owns_inputs && observers.empty());
  op.kernel(context);
}

// Whether to recompute a result at each of its readers instead of storing it: its inputs need no
// memory, or other readers keep them in memory anyway.
bool saves_memory(std::span<const Tensor> inputs) {
  constexpr int64_t kLarge = int64_t{1} << 20;
  return std::ranges::any_of(inputs, is_generated) ||
         std::ranges::all_of(inputs, [](const Tensor& input) {
           return input.size() == 1 || (input.bytes() >= kLarge && !input.exclusively_owned());
         });
}

[[gnu::always_inline]] inline void require_dtypes(const Op& op, std::span<const Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputSpec& spec = input_spec(op, i);
    const DType dtype = inputs[i].dtype();
    if (!spec.dtypes.contains(dtype) || inputs[static_cast<size_t>(spec.first)].dtype() != dtype) {
      refuse_inputs(op, inputs);
    }
  }
}

[[gnu::hot, gnu::always_inline]] inline void dispatch(const Op& op, std::span<const Tensor> inputs,
                                                      AttrsRef attrs, TensorList& outputs,
                                                      bool owns_inputs) {
  require_dtypes(op, inputs);
  if (graph::Graph* const graph = graph::building()) [[unlikely]] {
    if (std::none_of(inputs.begin(), inputs.end(), is_free_symbol)) {
      return graph::add_call(*graph, op, inputs, attrs, {}, {}, outputs);
    }
  }
  SpecList specs;
  const Tensor* const unknown = first_symbolic_or_batched(inputs);
  const bool rows = unknown && any_batched(inputs);
  InferContext infer(op, inputs, attrs, specs, unknown && !rows);
  op.infer(infer);
  // Tapes keep inputs, so that plans that are recorded gain nothing from overwriting them.
  const bool records = op.gradient && recording();
  if (unknown) [[unlikely]] {
    if (rows) return run_batched(op, inputs, attrs, specs, outputs);
    if (op.sizes_from_values) unknown->impl()->settle();  // throws
    graph::refuse_out_of_scope(*unknown);
    for (const TensorSpec& spec : specs) outputs.push_back(symbolic(spec));
  } else if (several_devices && run_on_backend(op, inputs, attrs, specs, outputs)) [[unlikely]] {
  } else if (may_defer_result(op, inputs) &&
             (!owns_inputs || records || (op.kernel.elements && saves_memory(inputs))))
      [[unlikely]] {
    if (Tensor result = make_lazy(op, inputs, attrs, specs[0])) {
      outputs.push_back(std::move(result));
    } else {
      run_now(op, inputs, attrs, specs, outputs, owns_inputs);
    }
  } else {
    run_now(op, inputs, attrs, specs, outputs, owns_inputs);
  }
  if (records) record_on_tapes(op, inputs, attrs, outputs);
  for (size_t k = 0; k < observers.size(); ++k) observers[k]->ran(op, inputs, attrs, outputs);
}

// The same with an event in the profile. Deferred results have theirs when they are computed.
[[gnu::cold, gnu::noinline]] void dispatch_profiled(const Op& op, std::span<const Tensor> inputs,
                                                    AttrsRef attrs, TensorList& outputs,
                                                    bool owns_inputs) {
  const profile::Scope* const outer = profile::current();
  if (graph::building() || (outer && outer->covers())) {
    return dispatch(op, inputs, attrs, outputs, owns_inputs);
  }
  profile::Scope scope(op.tf_name);
  dispatch(op, inputs, attrs, outputs, owns_inputs);
  for (const Tensor& output : outputs) {
    if (!output.impl()->lazy()) continue;
    profile::note_deferred(output.impl()->id(), scope);
    if (outputs.size() == 1 && !several_devices) scope.cancel();
  }
}

}  // namespace

void check_inputs(const Op& op, std::span<const Tensor> inputs) { require_dtypes(op, inputs); }

void run(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, TensorList& outputs) {
  if (profile::active()) [[unlikely]]
    return dispatch_profiled(op, inputs, attrs, outputs, false);
  dispatch(op, inputs, attrs, outputs, false);
}

void run_consuming(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                   TensorList& outputs) {
  if (profile::active()) [[unlikely]]
    return dispatch_profiled(op, inputs, attrs, outputs, true);
  dispatch(op, inputs, attrs, outputs, true);
}

Tensor call(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs) {
  TensorList outputs;
  run(op, inputs, attrs, outputs);
  return std::move(outputs[0]);
}

Tensor call_reusing(const Op& op, Tensor first, const Tensor& second, AttrsRef attrs) {
  if (Tensor more = rows_of(second)) [[unlikely]] {
    if (Tensor rows = rows_of(first); rows && rows.shape() == more.shape()) {
      first = {};
      return batched(call_reusing(op, std::move(rows), more, attrs));
    }
  }
  if (recording() || !observers.empty() || !first.exclusively_owned() ||
      first.shape() != second.shape() || first.dtype() != second.dtype() ||
      first_symbolic_or_batched({&second, 1})) {
    return call(op, {first, second}, attrs);
  }
  std::optional<profile::Scope> scope;
  if (profile::active()) [[unlikely]]
    scope.emplace(op.tf_name);
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
