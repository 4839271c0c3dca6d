// Nodes with gradients of their own.
#include "graph/custom_gradient.h"

#include <utility>

#include "eager/dispatch.h"
#include "eager/variable.h"
#include "graph/record.h"
#include "graph/variables.h"
#include "ops/compose.h"
#include "ops/elementwise.h"

namespace ef::graph {
namespace {

// Runs the step's graph, or adds a call of it to the graph that is being built.
class CustomBackward final : public BackwardFunction {
 public:
  CustomBackward(std::shared_ptr<const CustomStep> step, std::span<const Tensor> results,
                 std::span<const Tensor> arguments, std::span<const Tensor> captures)
      : step_(std::move(step)), captures_(captures) {
    for (const Tensor& result : results) {
      specs_.push_back({result.dtype(), result.shape()});
      unknown_.push_back(result.shape().fully_known() ? Tensor() : result);
    }
    for (const Tensor& argument : arguments) shapes_.push_back(argument.shape());
    for (Variable* variable : step_->variables) shapes_.push_back(variable->shape());
  }

  bool takes_missing() const override { return true; }

  std::vector<Gradient> run(std::span<const Tensor> dy, std::span<const char> wanted) override {
    TensorList inputs, results;
    for (size_t j = 0; j < dy.size(); ++j) inputs.push_back(dy[j] ? dy[j] : missing(j));
    if (step_->failure) return step_->failure->run(inputs, wanted);
    for (const Tensor& capture : captures_) inputs.push_back(capture);
    if (Graph* const graph = building()) {
      results = add_whole_call(*graph, step_->graph, inputs);
      // The host language asks the call for the graph that it runs.
      graph->node(graph->size() - 1).graphs.push_back(step_->owner);
    } else {
      step_->graph->plan().run(inputs, results);
    }
    std::vector<Gradient> gradients;
    size_t next = 0;
    for (const CustomStep::Kind kind : step_->kinds) {
      Gradient& gradient = gradients.emplace_back();
      if (kind == CustomStep::Kind::kNone) continue;
      gradient.values = results[next++];
      if (kind == CustomStep::Kind::kDense) continue;
      gradient.indices = results[next++];
      gradient.dense_shape = shapes_[gradients.size() - 1];
    }
    return gradients;
  }

 private:
  Tensor missing(size_t j) const {
    if (unknown_[j]) return zeros_like(unknown_[j]);
    return zeros(specs_[j].dtype, specs_[j].shape);
  }

  std::shared_ptr<const CustomStep> step_;
  TensorList captures_;
  SpecList specs_;             // of the results
  TensorList unknown_;         // results of unknown shape, kept for their shapes
  std::vector<Shape> shapes_;  // of the arguments and variables
};

// Inputs: the values, the arguments, and what the step's graph captures.
class CustomGradient final : public NodeFunction {
 public:
  CustomGradient(std::shared_ptr<const CustomStep> step, size_t num_results, size_t num_arguments)
      : step_(std::move(step)), num_results_(num_results), num_arguments_(num_arguments) {
    for (Variable* variable : step_->variables) variables_.emplace_back(*variable);
  }

  const char* type() const override { return "IdentityN"; }
  bool needs_host() const override { return false; }  // the step runs only if a tape asks for it
  std::vector<const Graph*> graphs() const override {
    if (!step_->graph) return {};
    return {&step_->graph->graph()};
  }
  std::vector<Variable*> reads() const override { return step_->variables; }

  // As in TensorFlow's graphs, the values' own operations do not count.
  bool connects(size_t source) const override {
    const size_t num_sources = num_arguments_ + step_->variables.size();
    if (source < num_results_) return num_sources == 0;
    source -= num_results_;
    const size_t num_captures = step_->graph ? step_->graph->graph().captures().size() : 0;
    if (source >= num_arguments_ && source < num_arguments_ + num_captures) return false;
    if (source >= num_arguments_) source -= num_captures;
    return step_->failure || step_->kinds[source] != CustomStep::Kind::kNone;
  }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    for (const Tensor& value : inputs.first(num_results_)) {
      outputs.push_back(call(ops::identity, {value}));
    }
    if (recording()) record_step(active_tapes(), inputs, outputs);
  }

  bool record(std::span<Tape* const> tapes, std::span<const Tensor> inputs,
              std::span<const Tensor> outputs) const override {
    for (Tape* tape : tapes) {
      for (size_t j = 0; j < outputs.size(); ++j) {
        tape->record(ops::identity, inputs.subspan(j, 1), {}, outputs.subspan(j, 1));
      }
    }
    record_step(tapes, inputs, outputs);
    return true;
  }

 private:
  void record_step(std::span<Tape* const> tapes, std::span<const Tensor> inputs,
                   std::span<const Tensor> outputs) const {
    std::vector<uint64_t> ids;
    for (const Tensor& argument : inputs.subspan(num_results_, num_arguments_)) {
      ids.push_back(argument.impl()->id_or_zero());
    }
    for (Variable* traced : step_->variables) {
      Variable& variable = SwappedVariables::find(*traced);
      ids.push_back(variable.id());
      for (Tape* tape : tapes) tape->watch_read(variable);
    }
    const auto backward = std::make_shared<CustomBackward>(
        step_, outputs, inputs.subspan(num_results_, num_arguments_),
        inputs.subspan(num_results_ + num_arguments_));
    for (Tape* tape : tapes) tape->record(backward, ids, outputs);
  }

  friend CustomGradientParts graph::custom_gradient_parts(const Node& node);

  std::shared_ptr<const CustomStep> step_;
  size_t num_results_, num_arguments_;
  std::vector<VariableRef> variables_;
};

}  // namespace

CustomGradientParts custom_gradient_parts(const Node& node) {
  const auto* const found = dynamic_cast<const CustomGradient*>(node.function.get());
  if (!found) return {};
  return {found->step_.get(), found->num_results_};
}

TensorList add_custom_gradient(Graph& graph, std::span<const Tensor> results,
                               std::span<const Tensor> arguments, CustomStep step) {
  SpecList specs;
  for (const Tensor& result : results) specs.push_back({result.dtype(), result.shape()});
  TensorList inputs(results);
  for (const Tensor& argument : arguments) inputs.push_back(argument);
  if (step.graph) append_captures(step.graph->graph(), inputs);
  auto function = std::make_shared<CustomGradient>(
      std::make_shared<const CustomStep>(std::move(step)), results.size(), arguments.size());
  return add_function(graph, std::move(function), inputs, specs, "CustomGradient");
}

}  // namespace ef::graph
