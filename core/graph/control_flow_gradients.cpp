// Gradients of conditionals and loops as conditionals and loops.
#include "graph/control_flow_gradients.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "eager/dispatch.h"
#include "eager/variable.h"
#include "graph/connections.h"
#include "graph/list_specs.h"
#include "graph/record.h"
#include "graph/specialize.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/tensor_lists.h"
#include "ops/variants.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

// A list of zeros.
Tensor new_list(const ListSpec& spec) {
  if (!spec.complete()) {
    fail(Code::kUnimplemented, "the sizes of a TensorArray with a gradient depend on values");
  }
  return call(
      ops::tensor_list_reserve, {Tensor::of(static_cast<int32_t>(spec.length))},
      ops::TensorListAttrs{.element_dtype = spec.dtype, .element_shape = Ints(spec.element)});
}

// The gradient as a dense tensor or list; zeros if it is empty.
Tensor filled(const Gradient& gradient, const Tensor& like) {
  if (like.dtype() == DType::kVariant) {
    const Tensor empty = new_list(known_list(like));
    if (!gradient) return empty;
    return call(ops::variant_add, {empty, gradient.values});
  }
  return gradient ? densify(gradient) : zeros(like.dtype(), like.shape());
}

Tensor fresh(const Tensor& tensor) { return call(ops::identity, {tensor}); }

// A branch or an iteration that is computed again and differentiated.
struct Again {
  TensorList arguments;  // sources have identities of their own
  std::vector<Gradient> gradients;

  // `wanted` marks the arguments that are sources; the variables follow as sources.
  Again(const Graph& graph, std::span<const Tensor> given, std::span<const char> wanted,
        std::span<Variable* const> variables, std::span<const Tensor> dy) {
    const TapeRef tape(Tape::Options{.persistent = false, .watch_accessed = false});
    std::vector<uint64_t> sources;
    for (size_t k = 0; k < given.size(); ++k) {
      arguments.push_back(wanted[k] ? fresh(given[k]) : given[k]);
      if (!wanted[k]) continue;
      tape->watch(arguments.back());
      sources.push_back(arguments.back().impl()->id());
    }
    for (Variable* variable : variables) {
      tape->watch(*variable);
      sources.push_back(variable->id());
    }
    TensorList outputs;
    {
      const RecordingOn recording(tape.get());
      outputs = replayed(graph, arguments);
    }
    TensorList targets, weights;
    for (size_t j = 0; j < dy.size(); ++j) {
      if (!dy[j]) continue;
      targets.push_back(outputs[j]);
      weights.push_back(dy[j]);
    }
    gradients = tape->gradient(targets, weights, sources);
  }
};

class ChoiceBackward final : public BackwardFunction {
 public:
  ChoiceBackward(std::span<const CallablePtr> branches,
                 std::span<const std::vector<size_t>> captures, std::span<const Tensor> inputs,
                 std::vector<Variable*> variables)
      : branches_(branches.begin(), branches.end()),
        captures_(captures.begin(), captures.end()),
        inputs_(inputs),
        variables_(std::move(variables)) {}

  bool takes_missing() const override { return true; }

  std::vector<Gradient> run(std::span<const Tensor> dy, std::span<const char> wanted) override {
    Graph* const graph = building();
    std::vector<size_t> asked;
    for (size_t i = 0; i < inputs_.size() + variables_.size(); ++i) {
      if (wanted[i] && (i >= inputs_.size() || is_differentiable(inputs_[i].dtype()))) {
        asked.push_back(i);
      }
    }
    std::vector<Gradient> gradients(inputs_.size() + variables_.size());
    if (asked.empty()) return gradients;
    std::vector<CallablePtr> parts;
    for (size_t b = 0; b < branches_.size(); ++b) {
      const Graph& branch = branches_[b]->graph();
      auto part = std::make_shared<Graph>(branch.name() + "_grad", graph->shared_from_this());
      const Building inside(part);
      part->finish(gradients_of_branch(branch, captures_[b], dy, asked));
      parts.push_back(std::make_shared<const Callable>(std::move(part)));
    }
    const TensorList results = add_choice(*graph, inputs_[0], parts, "cond_grad");
    for (size_t k = 0; k < asked.size(); ++k) gradients[asked[k]].values = results[k];
    return gradients;
  }

 private:
  TensorList gradients_of_branch(const Graph& branch, const std::vector<size_t>& captures,
                                 std::span<const Tensor> dy, std::span<const size_t> asked) const {
    TensorList arguments;
    std::vector<char> wanted;
    for (const size_t i : captures) {
      arguments.push_back(inputs_[i]);
      wanted.push_back(std::ranges::find(asked, i) != asked.end());
    }
    const Again again(branch, arguments, wanted, variables_, dy);
    std::vector<Gradient> found(inputs_.size() + variables_.size());
    size_t next = 0;
    for (size_t k = 0; k < captures.size(); ++k) {
      if (wanted[k]) found[captures[k]] = again.gradients[next++];
    }
    for (size_t k = 0; k < variables_.size(); ++k) {
      found[inputs_.size() + k] = again.gradients[next++];
    }
    TensorList results;
    for (const size_t i : asked) {
      if (i < inputs_.size()) {
        results.push_back(filled(found[i], inputs_[i]));
      } else {
        const Variable& variable = *variables_[i - inputs_.size()];
        results.push_back(found[i] ? densify(found[i]) : zeros(variable.dtype(), variable.shape()));
      }
    }
    return results;
  }

  std::vector<CallablePtr> branches_;
  std::vector<std::vector<size_t>> captures_;
  TensorList inputs_;
  std::vector<Variable*> variables_;
};

// Whether an iteration returns a variable unchanged.
bool is_kept(const Graph& body, size_t k) {
  return symbol_of(body.outputs()[k])->port() == symbol_of(body.inputs()[k])->port();
}

// A reversible loop that has been added.
struct Forward {
  GraphPtr body;
  TensorList variables;  // the initial values
  TensorList last;       // the final values
  TensorList captures;   // of the body
  std::vector<Variable*> read;
  std::vector<Tensor>
      kept;      // for each variable that changes, the list of its values in all iterations
  Tensor count;  // of iterations
};

class LoopBackward final : public BackwardFunction {
 public:
  explicit LoopBackward(Forward forward) : f_(std::move(forward)) {}

  bool takes_missing() const override { return true; }

  // Goes from the last iteration to the first, with the gradients of the variables and the sums of
  // gradients with respect to sources that the iterations share.
  std::vector<Gradient> run(std::span<const Tensor> dy, std::span<const char> wanted) override {
    Graph* const graph = building();
    const size_t count = f_.variables.size();
    std::vector<size_t> carried;
    for (size_t k = 0; k < count; ++k) {
      if (is_differentiable(f_.variables[k].dtype())) carried.push_back(k);
    }
    std::vector<size_t> summed;  // captures, then variables that are read
    for (size_t k = 0; k < f_.captures.size() + f_.read.size(); ++k) {
      const bool captured = k < f_.captures.size();
      if (wanted[count + k] && (!captured || is_differentiable(f_.captures[k].dtype()))) {
        summed.push_back(k);
      }
    }
    TensorList start{f_.count};
    for (const size_t k : carried) start.push_back(filled({.values = dy[k]}, f_.last[k]));
    for (const size_t k : summed) start.push_back(no_sum(k));
    const Loop loop{condition(*graph, start), body(*graph, start, carried, summed), {}};
    const TensorList results = add_loop(*graph, loop, start, "while_grad");
    std::vector<Gradient> gradients(count + f_.captures.size() + f_.read.size());
    size_t next = 1;
    for (const size_t k : carried) gradients[k].values = results[next++];
    for (const size_t k : summed) gradients[count + k].values = results[next++];
    return gradients;
  }

 private:
  static TensorList add_inputs(Graph& part, std::span<const Tensor> start) {
    TensorList inputs;
    for (const Tensor& value : start) {
      inputs.push_back(part.add_input({value.dtype(), value.shape()}, "variable"));
      if (value.dtype() == DType::kVariant) {
        ListSpec list = known_list(value);
        list.is_set = true;
        symbol_of(inputs.back())->set_list(std::move(list));
      }
    }
    return inputs;
  }

  Tensor no_sum(size_t k) const {
    if (k < f_.captures.size()) return filled({}, f_.captures[k]);
    const Variable& variable = *f_.read[k - f_.captures.size()];
    return zeros(variable.dtype(), variable.shape());
  }

  static GraphPtr condition(Graph& graph, std::span<const Tensor> start) {
    auto part = std::make_shared<Graph>("while_grad_cond", graph.shared_from_this());
    const Building inside(part);
    const TensorList inputs = add_inputs(*part, start);
    part->finish({{call(ops::greater, {inputs[0], Tensor::of(int32_t{0})})}});
    return part;
  }

  GraphPtr body(Graph& graph, std::span<const Tensor> start, std::span<const size_t> carried,
                std::span<const size_t> summed) const {
    auto part = std::make_shared<Graph>("while_grad_body", graph.shared_from_this());
    const Building inside(part);
    const TensorList inputs = add_inputs(*part, start);
    const size_t count = f_.variables.size();
    const Tensor at = inputs[0] - Tensor::of(int32_t{1});
    TensorList arguments;
    for (size_t k = 0; k < count; ++k) {
      const Tensor& first = f_.variables[k];
      if (f_.kept[k]) {
        arguments.push_back(call(ops::tensor_list_get_item, {f_.kept[k], at},
                                 ops::TensorListAttrs{.element_dtype = first.dtype(),
                                                      .element_shape = Ints(first.shape())}));
      } else {
        // A list that changes is read for its sizes only.
        arguments.push_back(is_kept(*f_.body, k) ? first : f_.last[k]);
      }
    }
    for (const Tensor& capture : f_.captures) arguments.push_back(capture);
    std::vector<char> sources(arguments.size());
    std::vector<Tensor> weights(count);
    for (size_t k = 0; k < carried.size(); ++k) {
      sources[carried[k]] = 1;
      weights[carried[k]] = inputs[1 + k];
    }
    std::vector<Variable*> variables;
    for (const size_t k : summed) {
      if (k < f_.captures.size()) {
        sources[count + k] = 1;
      } else {
        variables.push_back(f_.read[k - f_.captures.size()]);
      }
    }
    const Again again(*f_.body, arguments, sources, variables, weights);
    TensorList outputs{at};
    size_t next = 0;
    for (const size_t k : carried) outputs.push_back(filled(again.gradients[next++], f_.last[k]));
    for (size_t k = 0; k < summed.size(); ++k) {
      const Tensor& sum = inputs[1 + carried.size() + k];
      const Gradient& more = again.gradients[next++];
      if (!more) {
        outputs.push_back(sum);
      } else if (sum.dtype() == DType::kVariant) {
        outputs.push_back(call(ops::variant_add, {sum, more.values}));
      } else {
        outputs.push_back(sum + densify(more));
      }
    }
    part->finish(outputs);
    return part;
  }

  Forward f_;
};

// Whether an iteration reads elements of a list that it changes.
bool reads_changed(const Graph& body, size_t k) {
  std::vector<Port> ports{symbol_of(body.inputs()[k])->port()};
  const auto is_one = [&](const Port& port) {
    return std::ranges::find(ports, port) != ports.end();
  };
  for (NodeId id = 0; id < body.size(); ++id) {
    const Node& node = body.node(id);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!is_one(node.inputs[i])) continue;
      if (i > 0 || (node.op != &ops::tensor_list_set_item && node.op != &ops::identity))
        return true;
      ports.push_back({id, 0});
    }
  }
  for (size_t j = 0; j < body.outputs().size(); ++j) {
    if (j != k && is_one(symbol_of(body.outputs()[j])->port())) return true;
  }
  return false;
}

}  // namespace

void record_choice(std::span<const CallablePtr> branches,
                   std::span<const std::vector<size_t>> captures, std::span<Tape* const> tapes,
                   std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  std::vector<Variable*> variables;
  for (const CallablePtr& branch : branches) {
    add_missing(branch->connections().variables, variables);
  }
  std::vector<uint64_t> ids;
  for (const Tensor& input : inputs) ids.push_back(input.impl()->id_or_zero());
  for (const Variable* variable : variables) ids.push_back(variable->id());
  const auto backward = std::make_shared<ChoiceBackward>(branches, captures, inputs, variables);
  for (Tape* tape : tapes) tape->record(backward, ids, outputs);
}

std::optional<int64_t> known_iterations(const Loop& loop, std::span<const Tensor> variables,
                                        int64_t most) {
  const Graph &condition = *loop.condition, &body = *loop.body;
  if (any_effects(condition) || any_effects(body)) return std::nullopt;
  const size_t count = variables.size();
  // The variables that the condition depends on, directly or through other variables.
  const Plan test(condition, condition.outputs(), {.all_effects = false});
  std::vector<char> read(count);
  for (size_t k = 0; k < count; ++k) read[k] = test.needs_argument(k);
  std::unique_ptr<Plan> step;
  for (bool more = true; more;) {
    more = false;
    TensorList outputs;
    for (size_t k = 0; k < count; ++k) {
      if (read[k]) outputs.push_back(body.outputs()[k]);
    }
    step = std::make_unique<Plan>(body, outputs, Plan::Options{.all_effects = false});
    for (size_t k = 0; k < count; ++k) {
      if (read[k] || !step->needs_argument(k)) continue;
      read[k] = more = true;
    }
  }
  const auto known = [&](const Plan& plan, const Graph& graph, TensorList& values) {
    for (size_t c = 0; c < graph.captures().size(); ++c) {
      const Tensor& outer = graph.captures()[c].outer;
      if (plan.needs_argument(count + c) && !has_value(outer)) return false;
      values.push_back(has_value(outer) ? value_of(outer) : Tensor());
    }
    return true;
  };
  std::vector<Tensor> own(count);
  TensorList of_condition, of_body;
  for (size_t k = 0; k < count; ++k) {
    if (!read[k]) continue;
    if (!has_value(variables[k]) || variables[k].dtype() == DType::kVariant) return std::nullopt;
    own[k] = value_of(variables[k]);
  }
  if (!known(test, condition, of_condition) || !known(*step, body, of_body)) return std::nullopt;
  const Building paused(nullptr);
  const StopRecording unrecorded;
  int64_t done = 0;
  for (; done < most; ++done) {
    TensorList arguments{std::span<const Tensor>(own)}, more;
    for (const Tensor& value : of_condition) arguments.push_back(value);
    test.run(arguments, more);
    if (more[0].dtype() != DType::kBool || more[0].size() != 1 || !*more[0].data<bool>()) break;
    TensorList inputs{std::span<const Tensor>(own)}, next;
    for (const Tensor& value : of_body) inputs.push_back(value);
    step->run(inputs, next);
    size_t j = 0;
    for (size_t k = 0; k < count; ++k) {
      if (read[k]) own[k] = next[j++];
    }
  }
  return done;
}

bool is_reversible(const Loop& loop) {
  const Graph& body = *loop.body;
  if (any_effects(*loop.condition) || any_effects(body)) return false;
  for (size_t k = 0; k < body.inputs().size(); ++k) {
    const Tensor& input = body.inputs()[k];
    if (input.dtype() == DType::kVariant) {
      if (!known_list(input).complete()) return false;
      if (!is_kept(body, k) && reads_changed(body, k)) return false;
    } else if (!input.shape().fully_known() || input.dtype() == DType::kString) {
      return false;
    }
  }
  return true;
}

TensorList add_reversible_loop(Graph& graph, const Loop& loop, std::span<const Tensor> variables,
                               int64_t bound) {
  const std::span<Tape* const> active = active_tapes();
  const std::vector<Tape*> tapes(active.begin(), active.end());
  const StopRecording unrecorded;
  const size_t count = variables.size();
  // The variables, the number of iterations, and the lists of earlier values.
  TensorList start(variables);
  start.push_back(Tensor::of(int32_t{0}));
  std::vector<size_t> changing;
  for (size_t k = 0; k < count; ++k) {
    const Tensor& input = loop.body->inputs()[k];
    if (input.dtype() == DType::kVariant || is_kept(*loop.body, k)) continue;
    changing.push_back(k);
    start.push_back(new_list({input.dtype(), input.shape(), bound, true}));
  }
  const auto build = [&](const Graph& part, bool is_body) {
    auto traced = std::make_shared<Graph>(part.name(), graph.shared_from_this());
    const Building inside(traced);
    TensorList inputs;
    for (size_t k = 0; k < start.size(); ++k) {
      const Tensor& like = k < count ? loop.body->inputs()[k] : start[k];
      inputs.push_back(traced->add_input({like.dtype(), like.shape()}, "variable"));
      if (like.dtype() == DType::kVariant) symbol_of(inputs.back())->set_list(known_list(like));
    }
    TensorList arguments(std::span<const Tensor>(inputs).first(count));
    for (const Capture& capture : part.captures()) arguments.push_back(capture.outer);
    TensorList outputs = replayed(part, arguments);
    if (is_body) {
      outputs.push_back(inputs[count] + Tensor::of(int32_t{1}));
      for (size_t j = 0; j < changing.size(); ++j) {
        outputs.push_back(call(ops::tensor_list_set_item,
                               {inputs[count + 1 + j], inputs[count], inputs[changing[j]]},
                               ops::TensorListSetItemAttrs{}));
      }
    }
    traced->finish(outputs);
    return traced;
  };
  const Loop longer{build(*loop.condition, false), build(*loop.body, true), loop.limit};
  const TensorList results = add_loop(graph, longer, start, "while");
  Forward forward{.body = loop.body, .variables = TensorList(variables)};
  forward.last = TensorList(std::span<const Tensor>(results).first(count));
  for (const Capture& capture : loop.body->captures()) forward.captures.push_back(capture.outer);
  add_missing(find_connections(*loop.body).variables, forward.read);
  forward.kept.resize(count);
  forward.count = results[count];
  for (size_t j = 0; j < changing.size(); ++j) {
    forward.kept[changing[j]] = results[count + 1 + j];
  }
  std::vector<uint64_t> ids;
  for (const Tensor& value : variables) ids.push_back(value.impl()->id_or_zero());
  for (const Tensor& value : forward.captures) ids.push_back(value.impl()->id_or_zero());
  for (const Variable* variable : forward.read) ids.push_back(variable->id());
  const TensorList last = forward.last;
  const auto backward = std::make_shared<LoopBackward>(std::move(forward));
  for (Tape* tape : tapes) tape->record(backward, ids, last);
  return last;
}

}  // namespace ef::graph
