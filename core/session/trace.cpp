// Converts the operations of a trace to a program.
#include "session/trace.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "graph/symbolic.h"

namespace ef::session {
namespace {

// Larger results that depend on no argument are recomputed in every run instead of being kept.
constexpr int64_t kKeptElements = 4096;

class Builder {
 public:
  explicit Builder(std::span<const Tensor> arguments) {
    for (size_t k = 0; k < arguments.size(); ++k) {
      operands_.try_emplace(arguments[k].impl(),
                            Operand{Operand::kArgument, static_cast<int32_t>(k), 0});
    }
  }

  // Whether the tensor is known, or can be a constant.
  bool find(const Tensor& tensor, Operand& operand) {
    const auto entry = operands_.find(tensor.impl());
    if (entry != operands_.end()) {
      operand = entry->second;
      return true;
    }
    if (is_symbolic(tensor)) return false;
    operand = {Operand::kConstant, static_cast<int32_t>(program.constants.size()), 0};
    operands_[tensor.impl()] = operand;
    program.constants.push_back(tensor);
    return true;
  }

  bool is_constant(const Tensor& tensor) const {
    const auto entry = operands_.find(tensor.impl());
    return entry == operands_.end() ? !is_symbolic(tensor)
                                    : entry->second.from == Operand::kConstant;
  }

  void made(const Tensor& tensor, size_t output) {
    // An operation that returns its input adds no operand.
    operands_.try_emplace(tensor.impl(),
                          Operand{Operand::kResult, static_cast<int32_t>(program.steps.size() - 1),
                                  static_cast<int32_t>(output)});
  }

  Program program;

 private:
  std::unordered_map<const TensorImpl*, Operand> operands_;
};

// Removes the steps and constants that no result depends on.
void prune(Program& program) {
  std::vector<bool> needed(program.steps.size()), kept(program.constants.size());
  const auto mark = [&](const Operand& operand) {
    if (operand.from == Operand::kResult) needed[static_cast<size_t>(operand.index)] = true;
    if (operand.from == Operand::kConstant) kept[static_cast<size_t>(operand.index)] = true;
  };
  for (const Operand& result : program.results) mark(result);
  for (size_t k = program.steps.size(); k-- > 0;) {
    if (!needed[k]) continue;
    for (const Operand& operand : program.steps[k].inputs) mark(operand);
  }
  std::vector<int32_t> step_indices(needed.size()), constant_indices(kept.size());
  const auto shift = [&](Operand& operand) {
    if (operand.from == Operand::kArgument) return;
    const auto& indices = operand.from == Operand::kResult ? step_indices : constant_indices;
    operand.index = indices[static_cast<size_t>(operand.index)];
  };
  std::vector<Tensor> constants;
  for (size_t k = 0; k < kept.size(); ++k) {
    constant_indices[k] = static_cast<int32_t>(constants.size());
    if (kept[k]) constants.push_back(std::move(program.constants[k]));
  }
  std::vector<Step> steps;
  for (size_t k = 0; k < needed.size(); ++k) {
    step_indices[k] = static_cast<int32_t>(steps.size());
    if (!needed[k]) continue;
    for (Operand& operand : program.steps[k].inputs) shift(operand);
    steps.push_back(std::move(program.steps[k]));
  }
  for (Operand& operand : program.results) shift(operand);
  program.steps = std::move(steps);
  program.constants = std::move(constants);
}

}  // namespace

Trace::Trace() { observers.push_back(this); }

Trace::~Trace() { stop(); }

void Trace::stop() {
  if (std::exchange(running_, false)) std::erase(observers, static_cast<Observer*>(this));
}

void Trace::ran(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                std::span<const Tensor> outputs) {
  if (std::this_thread::get_id() != thread_) return;
  calls_.push_back({&op, attrs, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}});
}

void Trace::saw_effect() {
  if (std::this_thread::get_id() == thread_) effects_ = true;
}

std::optional<Program> Trace::program(std::span<const Tensor> arguments,
                                      std::span<const Tensor> results) const {
  if (effects_) return {};
  Builder builder(arguments);
  std::vector<const TensorImpl*> taken;
  for (const Call& call : calls_) {
    const bool constant =
        std::ranges::all_of(call.inputs, [&](const Tensor& t) { return builder.is_constant(t); });
    if (constant && std::ranges::all_of(call.outputs, [](const Tensor& t) {
          return !is_symbolic(t) && t.size() <= kKeptElements;
        })) {
      continue;
    }
    Step step{call.op, call.attrs, {}};
    for (const Tensor& input : call.inputs) {
      Operand operand;
      if (!builder.find(input, operand)) return {};
      step.inputs.push_back(operand);
      if (operand.from == Operand::kArgument) taken.push_back(input.impl());
    }
    builder.program.steps.push_back(std::move(step));
    for (size_t k = 0; k < call.outputs.size(); ++k) builder.made(call.outputs[k], k);
  }
  for (const Tensor& result : results) {
    Operand operand;
    if (!builder.find(result, operand)) return {};
    builder.program.results.push_back(operand);
    if (operand.from == Operand::kArgument) taken.push_back(result.impl());
  }
  for (const Tensor& argument : arguments) {
    const bool seen = std::ranges::find(taken, argument.impl()) != taken.end();
    if (!seen && !is_symbolic(argument)) return {};
  }
  prune(builder.program);
  return std::move(builder.program);
}

}  // namespace ef::session
