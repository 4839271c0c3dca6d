// Conditionals and loops.
#include "graph/control_flow.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>
#include <vector>

#include "eager/dispatch.h"
#include "graph/connections.h"
#include "graph/control_flow_gradients.h"
#include "graph/list_specs.h"
#include "graph/record.h"
#include "graph/specialize.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

// The inputs of a node that contains graphs: its own, then the captures of the graphs, without
// duplicates.
class NodeInputs {
 public:
  explicit NodeInputs(std::span<const Tensor> own) : tensors_(own), own_(own.size()) {}

  // Returns the indices of a graph's captures among the inputs.
  std::vector<size_t> add_captures(const Graph& graph) {
    std::vector<size_t> positions;
    for (const Capture& capture : graph.captures()) {
      size_t i = own_;
      while (i < tensors_.size() && tensors_[i].impl() != capture.outer.impl()) ++i;
      if (i == tensors_.size()) tensors_.push_back(capture.outer);
      positions.push_back(i);
    }
    return positions;
  }
  const TensorList& tensors() const { return tensors_; }

 private:
  TensorList tensors_;
  size_t own_;
};

bool as_condition(const Tensor& value, const char* where) {
  if (value.dtype() != DType::kBool || value.size() != 1) {
    invalid_argument("The condition of ", where, " must be a boolean scalar, but it is a ",
                     value.dtype(), " of shape ", value.shape(), ".");
  }
  return *value.data<bool>();
}

TensorSpec spec_of(const Tensor& tensor) { return {tensor.dtype(), tensor.shape()}; }

class Choice final : public NodeFunction {
 public:
  struct Branch {
    CallablePtr callee;
    std::vector<size_t> captures;                       // their indices among the inputs
    std::shared_ptr<const PartialPlan> part = nullptr;  // null if all results are read

    void consume(std::span<Tensor> inputs, TensorList& outputs) const {
      part ? part->consume(inputs, outputs) : callee->plan().consume(inputs, outputs);
    }
  };
  Choice(std::vector<Branch> branches, bool boolean)
      : branches_(std::move(branches)), boolean_(boolean) {
    for (const Branch& branch : branches_) {
      has_effects_ |= branch.callee->has_effects();
      for (const size_t i : branch.captures) num_inputs_ = std::max(num_inputs_, i + 1);
    }
  }

  const char* type() const override {
    if (boolean_) return has_effects_ ? "If" : "StatelessIf";
    return has_effects_ ? "Case" : "StatelessCase";
  }
  bool has_effects() const override { return has_effects_; }
  bool needs_host() const override {
    return std::ranges::any_of(graphs(), [](const Graph* g) { return graph::needs_host(*g); });
  }
  std::vector<const Graph*> graphs() const override {
    std::vector<const Graph*> graphs;
    for (const Branch& branch : branches_) graphs.push_back(&branch.callee->graph());
    return graphs;
  }
  std::vector<std::vector<size_t>> captures() const override {
    std::vector<std::vector<size_t>> result;
    for (const Branch& branch : branches_) result.push_back(branch.captures);
    return result;
  }
  std::vector<Variable*> reads() const override {
    std::vector<Variable*> result;
    for (const Branch& branch : branches_) {
      add_missing(branch.callee->connections().variables, result);
    }
    return result;
  }

  bool connects(size_t source) const override {
    const Variable* const variable = source < num_inputs_ ? nullptr : reads()[source - num_inputs_];
    return std::ranges::any_of(branches_, [&](const Branch& branch) {
      const Connections& inside = branch.callee->connections();
      const auto connected = inside.connected.begin();
      if (!variable) {
        const auto found = std::ranges::find(branch.captures, source);
        return found != branch.captures.end() && connected[found - branch.captures.begin()] != 0;
      }
      const auto found = std::ranges::find(inside.variables, variable);
      const auto position = found - inside.variables.begin() + std::ssize(branch.captures);
      return found != inside.variables.end() && connected[position] != 0;
    });
  }
  bool record(std::span<Tape* const> tapes, std::span<const Tensor> inputs,
              std::span<const Tensor> outputs) const override {
    if (!building() || !building()->for_program()) return false;
    std::vector<CallablePtr> branches;
    for (const Branch& branch : branches_) branches.push_back(branch.callee);
    record_choice(branches, captures(), tapes, inputs, outputs);
    return true;
  }
  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    TensorList own(inputs);
    consume(own, outputs);
  }
  std::shared_ptr<const NodeFunction> returning(std::span<const char> read) const override {
    std::vector<Branch> branches = branches_;
    for (Branch& branch : branches) {
      branch.part = std::make_shared<const PartialPlan>(branch.callee->graph(), read);
    }
    return std::make_shared<Choice>(std::move(branches), boolean_);
  }
  // Adds only the selected branch if the index is known.
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList& outputs) const override {
    const auto arguments_of = [&](const Branch& branch) {
      TensorList arguments;
      for (const size_t i : branch.captures) arguments.push_back(inputs[i]);
      return arguments;
    };
    if (has_value(inputs[0])) {
      const Branch& branch = branches_[chosen(inputs[0])];
      outputs = replayed(branch.callee->graph(), arguments_of(branch));
      return;
    }
    std::vector<CallablePtr> branches;
    for (const Branch& branch : branches_) {
      const Graph& traced = branch.callee->graph();
      auto part = std::make_shared<Graph>(traced.name(), graph.shared_from_this());
      {
        const Building inside(part);
        part->finish(replayed(traced, arguments_of(branch)));
      }
      branches.push_back(std::make_shared<const Callable>(std::move(part)));
    }
    outputs = add_choice(graph, inputs[0], branches, type());
  }
  [[gnu::hot]] void consume(std::span<Tensor> inputs, TensorList& outputs) const override {
    const Branch& branch = branches_[chosen(inputs[0])];
    TensorList arguments;
    for (const size_t i : branch.captures) arguments.push_back(std::move(inputs[i]));
    branch.consume(arguments, outputs);
  }

 private:
  size_t chosen(const Tensor& index) const {
    if (boolean_) return as_condition(index, "tf.cond") ? 0 : 1;
    if (index.rank() != 0) {
      invalid_argument("The branch index must be a scalar, but it has shape ", index.shape(), ".");
    }
    const int32_t i = *index.data<int32_t>();
    return std::min(i < 0 ? branches_.size() : static_cast<size_t>(i), branches_.size() - 1);
  }

  std::vector<Branch> branches_;
  bool boolean_;
  bool has_effects_ = false;
  size_t num_inputs_ = 1;  // the index, and captures
};

// Now and then during a loop, handles signals and lets other threads run.
class Pauses {
 public:
  void after_iteration() {
    if (++count_ % kIterations != 0 || !blocking_hooks.release) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + kInterval;
    const KernelRegion released(kNanoseconds);
    if (released.state()) blocking_hooks.check(released.state());
  }

 private:
  static constexpr int64_t kIterations = 64;
  static constexpr std::chrono::milliseconds kInterval{10};
  static constexpr double kNanoseconds = 1e9;  // about the time after which the lock is released
  int64_t count_ = 0;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kInterval;
};

class While final : public NodeFunction {
 public:
  struct Part {
    GraphPtr graph;
    std::vector<size_t> captures;  // their indices among the inputs
  };
  // `live` are the variables that a run computes; by default all.
  While(Part condition, Part body, bool limited, std::vector<size_t> live = {})
      : condition_(std::move(condition)),
        body_(std::move(body)),
        live_(live.empty() ? all_variables(*body_.graph) : std::move(live)),
        test_(*condition_.graph, condition_.graph->outputs(), {.keeps_captures = true}),
        step_(*body_.graph, results_of(*body_.graph, live_), {.keeps_captures = true}),
        count_(body_.graph->inputs().size()),
        limited_(limited),
        has_effects_(any_effects(*condition_.graph) || any_effects(*body_.graph)) {
    add_missing(find_connections(*condition_.graph).variables, reads_);
    add_missing(find_connections(*body_.graph).variables, reads_);
  }

  const char* type() const override { return has_effects_ ? "While" : "StatelessWhile"; }
  bool has_effects() const override { return has_effects_; }
  bool needs_host() const override {
    return std::ranges::any_of(graphs(), [](const Graph* g) { return graph::needs_host(*g); });
  }
  std::vector<const Graph*> graphs() const override {
    return {condition_.graph.get(), body_.graph.get()};
  }
  std::vector<std::vector<size_t>> captures() const override {
    return {condition_.captures, body_.captures};
  }
  std::vector<Variable*> reads() const override { return reads_; }

  LoopParts parts() const {
    return {condition_.graph.get(),
            body_.graph.get(),
            &condition_.captures,
            &body_.captures,
            count_,
            limited_};
  }
  // A loop is unrolled if a tape records it or lists grow in it, provided that the number of
  // iterations is known, and small or there is no other way.
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList& outputs) const override {
    const std::span<const Tensor> variables = inputs.first(count_);
    if (!graph.for_program()) {
      if (recording() && unroll(inputs, outputs)) return;
      outputs = add_loop(graph, traced_again(graph, inputs), variables, type());
      return;
    }
    const Loop loop = traced_again(graph, inputs);
    const int64_t limit = limited_ && has_value(inputs[count_]) ? this->limit(inputs) : -1;
    std::optional<int64_t> bound = known_iterations(loop, variables, limit < 0 ? kMost : limit);
    if (!bound && limit >= 0) bound = limit;
    const bool lists_known = std::ranges::all_of(loop.body->inputs(), [](const Tensor& input) {
      return input.dtype() != DType::kVariant || known_list(input).complete();
    });
    const bool reversible = active_tapes().size() == 1 && bound && is_reversible(loop);
    // A gradient that is differentiated again needs unrolled iterations.
    const bool preferred =
        (bound && *bound <= kUnrolled) || (recording() && active_tapes()[0]->persistent());
    if ((recording() && (preferred || !reversible)) || !lists_known) {
      if (unroll(inputs, outputs)) return;
    }
    if (recording() && !reversible) {
      fail(Code::kUnimplemented, "a tf.while_loop with a gradient needs ",
           bound ? "variables of fixed shapes and an iteration without effects"
                 : "maximum_iterations, since the number of its iterations depends on values");
    }
    outputs = recording() && reversible ? add_reversible_loop(graph, loop, variables, *bound)
                                        : add_loop(graph, loop, variables, type());
  }
  // Leaves out variables that are not read behind the loop, nor by the condition, nor for the next
  // value of a variable that is.
  std::shared_ptr<const NodeFunction> returning(std::span<const char> read) const override {
    std::vector<size_t> live;
    for (std::vector<char> needed(read.begin(), read.end());;) {
      std::vector<size_t> found;
      for (size_t k = 0; k < count_; ++k) {
        if (needed[k] || test_.needs_argument(k)) found.push_back(k);
      }
      if (found.size() == live.size()) break;
      live = std::move(found);
      const Plan step(*body_.graph, results_of(*body_.graph, live));
      for (size_t k = 0; k < count_; ++k) needed[k] |= step.needs_argument(k);
    }
    if (live.empty() || live.size() == live_.size()) return nullptr;
    return std::make_shared<While>(condition_, body_, limited_, std::move(live));
  }
  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    TensorList own(inputs);
    consume(own, outputs);
  }
  [[gnu::hot]] void consume(std::span<Tensor> inputs, TensorList& outputs) const override {
    PlanRun test(test_), step(step_);
    for (size_t k = 0; k < condition_.captures.size(); ++k) {
      test.set(count_ + k, inputs[condition_.captures[k]]);
    }
    for (size_t k = 0; k < body_.captures.size(); ++k) {
      step.set(count_ + k, inputs[body_.captures[k]]);
    }
    const std::span<Tensor> variables = inputs.first(count_);
    Pauses pauses;
    for (int64_t left = limit(inputs); left != 0; --left) {
      for (size_t k = 0; k < count_; ++k) test.set(k, variables[k]);
      test.run();
      if (!as_condition(test.result(0), "tf.while_loop")) break;
      for (const size_t k : live_) step.set(k, std::move(variables[k]));
      step.run();
      for (size_t j = 0; j < live_.size(); ++j) variables[live_[j]] = step.take(j);
      pauses.after_iteration();
    }
    outputs.resize(count_);
    for (const size_t k : live_) outputs[k] = std::move(variables[k]);
  }

 private:
  static std::vector<size_t> all_variables(const Graph& body) {
    std::vector<size_t> all(body.inputs().size());
    std::iota(all.begin(), all.end(), size_t{0});
    return all;
  }
  static TensorList results_of(const Graph& body, std::span<const size_t> variables) {
    TensorList results;
    for (const size_t k : variables) results.push_back(body.outputs()[k]);
    return results;
  }
  static TensorList with_captures(std::span<const Tensor> variables, const Part& part,
                                  std::span<const Tensor> inputs) {
    TensorList arguments(variables);
    for (const size_t i : part.captures) arguments.push_back(inputs[i]);
    return arguments;
  }

  // False if the condition is unknown.
  bool unroll(std::span<const Tensor> inputs, TensorList& outputs) const {
    if (limited_ && !has_value(inputs[count_])) return false;
    TensorList variables(inputs.first(count_));
    const int64_t most = limit(inputs);
    for (int64_t done = 0; done != most; ++done) {
      const Tensor more =
          replayed(*condition_.graph, with_captures(variables, condition_, inputs))[0];
      if (!has_value(more)) {
        if (done == 0) return false;
        fail(Code::kUnimplemented, "the number of iterations of a tf.while_loop with a gradient ",
             "depends on values.");
      }
      if (!as_condition(more, "tf.while_loop")) break;
      variables = replayed(*body_.graph, with_captures(variables, body_, inputs));
    }
    outputs = variables;
    return true;
  }

  // Traces the loop again, with shapes that cover both these inputs and the body's results.
  Loop traced_again(Graph& graph, std::span<const Tensor> inputs) const {
    const StopRecording unrecorded;
    SpecList specs;
    std::vector<ListSpec> lists;
    for (const Tensor& variable : inputs.first(count_)) {
      specs.push_back(spec_of(variable));
      lists.push_back(known_list(variable));
    }
    const auto build = [&](const Part& part) {
      auto traced = std::make_shared<Graph>(part.graph->name(), graph.shared_from_this());
      const Building inside(traced);
      TensorList variables;
      for (size_t k = 0; k < count_; ++k) {
        variables.push_back(traced->add_input(specs[k], "variable"));
        if (graph.for_program() && specs[k].dtype == DType::kVariant) {
          symbol_of(variables.back())->set_list(lists[k]);
        }
      }
      traced->finish(replayed(*part.graph, with_captures(variables, part, inputs)));
      return traced;
    };
    GraphPtr body = build(body_);
    for (bool fits = false; !fits;) {
      fits = true;
      for (size_t k = 0; k < count_; ++k) {
        const Shape shape = common(specs[k].shape, body->outputs()[k].shape());
        fits &= shape == specs[k].shape;
        specs[k].shape = shape;
        const ListSpec list = common(lists[k], known_list(body->outputs()[k]));
        fits &= list == lists[k];
        lists[k] = list;
      }
      if (!fits) body = build(body_);
    }
    return {build(condition_), std::move(body), limited_ ? inputs[count_] : Tensor()};
  }

  // The limit of iterations; -1 if there is none.
  int64_t limit(std::span<const Tensor> inputs) const {
    if (!limited_) return -1;
    const Tensor& limit = inputs[count_];
    if (limit.size() != 1) {
      invalid_argument("'maximum_iterations' must be a scalar, but it has shape ", limit.shape(),
                       ".");
    }
    const int64_t count =
        limit.dtype() == DType::kInt64 ? *limit.data<int64_t>() : int64_t{*limit.data<int32_t>()};
    return std::max<int64_t>(count, 0);
  }

  // Loops up to this length are unrolled for a gradient; loops of more than kMost have no bound.
  static constexpr int64_t kUnrolled = 4;
  static constexpr int64_t kMost = 1 << 16;

  Part condition_, body_;
  std::vector<size_t> live_;  // the variables that a run computes
  Plan test_, step_;
  size_t count_;  // of variables
  bool limited_;
  bool has_effects_;
  std::vector<Variable*> reads_;
};

}  // namespace

std::optional<LoopParts> loop_of(const Node& node) {
  const auto* const loop = dynamic_cast<const While*>(node.function.get());
  if (!loop) return std::nullopt;
  return loop->parts();
}

bool is_choice(const Node& node) { return dynamic_cast<const Choice*>(node.function.get()); }

TensorList add_choice(Graph& graph, const Tensor& index, std::span<const CallablePtr> branches,
                      std::string_view name) {
  SpecList specs;
  for (const Tensor& output : branches[0]->graph().outputs()) specs.push_back(spec_of(output));
  NodeInputs inputs({&index, 1});
  std::vector<Choice::Branch> parts;
  for (const CallablePtr& branch : branches) {
    const std::span<const Tensor> outputs = branch->graph().outputs();
    if (outputs.size() != specs.size()) {
      fail(Code::kTypeError, "Branches must return the same number of values, got ", specs.size(),
           " and ", outputs.size(), ".");
    }
    for (size_t k = 0; k < specs.size(); ++k) {
      if (outputs[k].dtype() != specs[k].dtype) {
        fail(Code::kTypeError, "Branches must return the same dtypes, got ", specs[k].dtype,
             " and ", outputs[k].dtype(), ".");
      }
      specs[k].shape = common(specs[k].shape, outputs[k].shape());
    }
    parts.push_back({branch, inputs.add_captures(branch->graph())});
  }
  const bool boolean = index.dtype() == DType::kBool;
  auto function = std::make_shared<Choice>(std::move(parts), boolean);
  TensorList outputs = add_function(graph, std::move(function), inputs.tensors(), specs, name);
  if (graph.for_program()) {
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k].dtype() != DType::kVariant) continue;
      ListSpec list = known_list(branches[0]->graph().outputs()[k]);
      for (const CallablePtr& branch : branches.subspan(1)) {
        list = common(list, known_list(branch->graph().outputs()[k]));
      }
      symbol_of(outputs[k])->set_list(std::move(list));
    }
  }
  return outputs;
}

TensorList add_loop(Graph& graph, const Loop& loop, std::span<const Tensor> variables,
                    std::string_view name) {
  SpecList specs;
  for (const Tensor& input : loop.body->inputs()) specs.push_back(spec_of(input));
  TensorList own(variables);
  if (loop.limit) own.push_back(loop.limit);
  NodeInputs inputs(own);
  While::Part condition{loop.condition, inputs.add_captures(*loop.condition)};
  While::Part body{loop.body, inputs.add_captures(*loop.body)};
  auto function =
      std::make_shared<While>(std::move(condition), std::move(body), static_cast<bool>(loop.limit));
  TensorList outputs = add_function(graph, std::move(function), inputs.tensors(), specs, name);
  if (graph.for_program()) {
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k].dtype() != DType::kVariant) continue;
      symbol_of(outputs[k])->set_list(known_list(loop.body->inputs()[k]));
    }
  }
  return outputs;
}

}  // namespace ef::graph
