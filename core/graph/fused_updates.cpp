// Nodes that apply an optimizer's update to variables.
#include "graph/fused_updates.h"

#include <memory>
#include <utility>

#include "eager/variable.h"
#include "graph/record.h"
#include "graph/update_rules.h"
#include "graph/variables.h"
#include "ops/compose.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

VariableRef of_this_run(const VariableRef& traced) {
  return traced ? VariableRef(SwappedVariables::find(*traced)) : VariableRef();
}

double real(const Tensor& number) {
  if (number.size() != 1) {
    invalid_argument("A hyperparameter must be a scalar, got shape ", number.shape(), ".");
  }
  return cast_to(number, DType::kFloat64).data<double>()[0];
}

// Inputs: for each target its gradient and its rows, if it has them; then the hyperparameters.
class FusedUpdate final : public NodeFunction {
 public:
  FusedUpdate(const char* type, const Hyperparameters& hyperparameters,
              std::span<const UpdateTarget> targets)
      : type_(type), make_(hyperparameters.make), numbers_(hyperparameters.numbers) {
    for (size_t k = 0; k < numbers_.size(); ++k) {
      if (hyperparameters.symbolic[k]) late_.push_back(k);
    }
    for (const UpdateTarget& target : targets) {
      Updated& updated = updated_.emplace_back();
      updated.has_gradient = static_cast<bool>(target.gradient);
      updated.sparse = target.sparse;
      updated.every_row = target.every_row;
      updated.variable = VariableRef(*target.variable);
      variables_.emplace_back(*target.variable);
      for (int k = 0; k < cpu::kMaxSlots; ++k) {
        if (!target.slots[k]) continue;
        updated.slots[k] = VariableRef(*target.slots[k]);
        variables_.emplace_back(*target.slots[k]);
      }
    }
  }

  const char* type() const override { return type_; }
  bool has_effects() const override { return true; }
  std::span<const VariableRef> variables() const override { return variables_; }

  void run(std::span<const Tensor> inputs, TensorList&) const override {
    size_t next = 0;
    std::vector<UpdateTarget> targets = targets_of(inputs, next);
    for (UpdateTarget& target : targets) {
      if (target.rows) target.rows = cast_to(target.rows, DType::kInt64);
      if (target.gradient) target.gradient.impl()->settle();
    }
    std::vector<double> numbers = numbers_;
    for (const size_t k : late_) numbers[k] = real(inputs[next++]);
    update(make_(numbers), std::move(targets));
  }
  // Adds the operations of the rule.
  void retrace(Graph&, std::span<const Tensor> inputs, TensorList&) const override {
    size_t next = 0;
    const std::vector<UpdateTarget> targets = targets_of(inputs, next);
    std::vector<Tensor> late(numbers_.size());
    for (const size_t k : late_) late[k] = inputs[next++];
    for (const UpdateTarget& target : targets) add_rule(make_(numbers_), late, target);
  }

 private:
  // The targets of this run; `next` becomes the position behind their inputs.
  std::vector<UpdateTarget> targets_of(std::span<const Tensor> inputs, size_t& next) const {
    std::vector<UpdateTarget> targets(updated_.size());
    for (size_t i = 0; i < updated_.size(); ++i) {
      const Updated& updated = updated_[i];
      UpdateTarget& target = targets[i];
      target.variable = of_this_run(updated.variable);
      for (int k = 0; k < cpu::kMaxSlots; ++k) target.slots[k] = of_this_run(updated.slots[k]);
      target.sparse = updated.sparse;
      target.every_row = updated.every_row;
      if (updated.has_gradient) target.gradient = inputs[next++];
      if (updated.sparse) target.rows = inputs[next++];
    }
    return targets;
  }

  struct Updated {
    VariableRef variable;
    VariableRef slots[cpu::kMaxSlots];
    bool has_gradient = false;
    bool sparse = false;
    bool every_row = false;
  };

  const char* type_;
  cpu::OptimizerStep (*make_)(std::span<const double>);
  std::vector<double> numbers_;
  std::vector<size_t> late_;
  std::vector<Updated> updated_;
  std::vector<VariableRef> variables_;
};

void check(const UpdateTarget& target) {
  const Variable& variable = *target.variable;
  const Tensor& gradient = target.gradient;
  if (!gradient) return;
  if (gradient.dtype() != variable.dtype() ||
      (!target.sparse && !compatible(gradient.shape(), variable.shape()))) {
    invalid_argument("The gradient has shape ", gradient.shape(), " and dtype ", gradient.dtype(),
                     ", but its variable has shape ", variable.shape(), " and dtype ",
                     variable.dtype(), ".");
  }
}

}  // namespace

void add_update(Graph& graph, const char* type, const Hyperparameters& hyperparameters,
                std::span<const UpdateTarget> targets) {
  TensorList inputs;
  for (const UpdateTarget& target : targets) {
    check(target);
    if (target.gradient) inputs.push_back(target.gradient);
    if (target.sparse) inputs.push_back(target.rows);
  }
  for (const Tensor& number : hyperparameters.symbolic) {
    if (number) inputs.push_back(number);
  }
  add_function(graph, std::make_shared<FusedUpdate>(type, hyperparameters, targets), inputs, {},
               type);
}

}  // namespace ef::graph
