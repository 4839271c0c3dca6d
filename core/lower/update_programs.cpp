// Looks up, compiles and runs the programs of optimizers' steps.
#include "lower/update_programs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <variant>

#include "eager/tape.h"
#include "eager/variable.h"
#include "graph/graph.h"
#include "graph/update_rules.h"
#include "lower/program.h"
#include "lower/program_cache.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// The limit of programs; older ones are dropped.
constexpr size_t kMostUpdates = 64;

using Numbers = InlineVector<double, 8>;

template <class Step>
Numbers numbers_in(const Step& step) {
  if constexpr (std::is_same_v<Step, cpu::MomentumStep>) {
    return {step.learning_rate, step.momentum, step.nesterov ? 1.0 : 0.0};
  } else {
    // All other rules consist of numbers only.
    const auto all = std::bit_cast<std::array<double, sizeof(Step) / sizeof(double)>>(step);
    return Numbers(std::span<const double>(all));
  }
}

// The number of learning rates, which come first in a step and change from step to step.
size_t num_rates(const cpu::OptimizerStep& step) {
  return std::holds_alternative<cpu::NadamStep>(step) ? 2 : 1;
}

TensorList inputs_of(std::span<const UpdateTarget> targets, std::vector<char>& present) {
  TensorList inputs;
  const auto add = [&](const Tensor& value) {
    present.push_back(static_cast<bool>(value));
    if (value) inputs.push_back(value);
  };
  for (const UpdateTarget& target : targets) {
    add(target.variable->peek());
    for (const VariableRef& slot : target.slots) add(slot ? slot->peek() : Tensor());
    add(target.gradient);
    add(target.sparse ? target.rows : Tensor());
    present.push_back(target.every_row);
  }
  return inputs;
}

// The variables in the order of the program's results, and the inputs with their values.
struct Written {
  std::vector<Variable*> variables;
  std::vector<size_t> inputs;
};

Written written_by(std::span<const UpdateTarget> targets) {
  Written written;
  size_t next = 0;
  const auto add = [&](Variable* variable) {
    written.variables.push_back(variable);
    written.inputs.push_back(next++);
  };
  for (const UpdateTarget& target : targets) {
    add(target.variable.get());
    for (const VariableRef& slot : target.slots) {
      if (slot) add(slot.get());
    }
    next += (target.gradient ? 1 : 0) + (target.sparse ? 1 : 0);
  }
  return written;
}

bool has_repeated(std::span<const UpdateTarget> targets) {
  std::vector<const Variable*> variables;
  for (const UpdateTarget& target : targets) variables.push_back(target.variable.get());
  std::ranges::sort(variables);
  return std::ranges::adjacent_find(variables) != variables.end();
}

}  // namespace

std::optional<pjrt::ExecutablePtr> UpdatePrograms::find(const Entry& wanted) {
  const std::lock_guard lock(mutex_);
  const auto same = [](const TensorSpec& x, const TensorSpec& y) {
    return x.dtype == y.dtype && x.shape == y.shape;
  };
  const auto found = std::ranges::find_if(entries_, [&](const auto& entry) {
    return entry->rule == wanted.rule && std::ranges::equal(entry->numbers, wanted.numbers) &&
           entry->present == wanted.present &&
           std::ranges::equal(entry->inputs, wanted.inputs, same);
  });
  if (found == entries_.end()) return std::nullopt;
  return (*found)->executable;
}

pjrt::ExecutablePtr UpdatePrograms::compile(const cpu::OptimizerStep& step, size_t rates,
                                            std::span<const UpdateTarget> targets,
                                            const SpecList& inputs) {
  const auto graph = std::make_shared<graph::Graph>("update", nullptr);
  const StopRecording quiet;
  Program program;
  try {
    const graph::Building building(graph);
    TensorList arguments, outputs;
    for (const TensorSpec& spec : inputs) arguments.push_back(graph->add_input(spec, "value"));
    const std::span<const Tensor> numbers = std::span(arguments).last(rates);
    size_t next = 0;
    for (const UpdateTarget& target : targets) {
      graph::UpdateValues values;
      values.variable = arguments[next++];
      for (int k = 0; k < cpu::kMaxSlots; ++k) {
        if (target.slots[k]) values.slots[k] = arguments[next++];
      }
      if (target.gradient) values.gradient = arguments[next++];
      if (target.sparse) values.rows = arguments[next++];
      values.every_row = target.every_row;
      for (const Tensor& value : graph::updated_values(step, numbers, values)) {
        outputs.push_back(value);
      }
    }
    graph->finish(outputs);
    program = program_over(*graph, written_by(targets).inputs);
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented) throw;
    return nullptr;
  }
  return compiled_program(client_, program.text, program.results);
}

bool UpdatePrograms::run(DeviceId device, int index, const cpu::OptimizerStep& step,
                         std::span<const UpdateTarget> targets) {
  if (has_repeated(targets)) {
    // Each update reads the values that the previous one has written.
    return std::ranges::all_of(targets, [&](const UpdateTarget& target) {
      return run(device, index, step, {&target, 1});
    });
  }
  const size_t rates = num_rates(step);
  auto wanted = std::make_unique<Entry>();
  TensorList inputs = inputs_of(targets, wanted->present);
  Numbers numbers = std::visit([](const auto& one) { return numbers_in(one); }, step);
  const bool doubles = std::ranges::any_of(
      targets, [](const UpdateTarget& t) { return t.variable->dtype() == DType::kFloat64; });
  for (size_t k = 0; k < rates; ++k) {
    inputs.push_back(doubles ? Tensor::of(numbers[k]) : Tensor::of(static_cast<float>(numbers[k])));
    numbers[k] = 0;
  }
  wanted->rule = step.index();
  wanted->numbers = numbers;
  for (const Tensor& input : inputs) wanted->inputs.push_back({input.dtype(), input.shape()});
  pjrt::ExecutablePtr executable;
  if (const auto found = find(*wanted)) {
    executable = *found;
  } else {
    // Compiling lets other threads have Python's lock, so it holds no lock.
    executable = wanted->executable = compile(step, rates, targets, wanted->inputs);
    const std::lock_guard lock(mutex_);
    entries_.push_front(std::move(wanted));
    if (entries_.size() > kMostUpdates) entries_.pop_back();
  }
  if (!executable) return false;
  const Written written = written_by(targets);
  std::vector<char> donated(inputs.size());
  for (const size_t k : written.inputs) donated[k] = pjrt::only_of_variable(inputs[k]);
  TensorList results;
  executable->run(inputs, donated, index, results);
  for (size_t k = 0; k < written.variables.size(); ++k) {
    results[k].impl()->set_device(device);
    written.variables[k]->assign(results[k]);
  }
  return true;
}

}  // namespace ef::lower
