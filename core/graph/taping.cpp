// Nodes that run under a tape, and nodes that compute gradients from such a tape.
#include "graph/taping.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "eager/dispatch.h"
#include "eager/variable.h"
#include "graph/record.h"
#include "graph/variables.h"
#include "ops/compose.h"
#include "ops/creation.h"
#include "ops/elementwise.h"

namespace ef::graph {
namespace {

// The dependencies of a run, as its tapes record them. Sources are the inputs and then the
// variables; an input that is itself the record of a run represents the sources of that run.
struct Run final : LazyValue {
  struct Source {
    uint64_t id = 0;  // 0 if nothing was recorded
    TensorSpec spec;
    size_t tape = 0;
  };
  std::vector<TapeRef> tapes;
  std::vector<Source> sources;
  std::vector<uint64_t> targets;

  void settle(const Settler&) override { fail(Code::kInternal, "A tape has no value."); }
};

const Run& run_of(const Tensor& tensor) { return static_cast<const Run&>(*tensor.impl()->lazy()); }

bool is_watchable(const Tensor& tensor) { return is_differentiable(tensor.dtype()); }

// Runs a function under tapes, which are one more output.
class Recorded final : public NodeFunction {
 public:
  // `wanted` marks the sources with gradients; `persistent` allows several gradients.
  Recorded(std::shared_ptr<const NodeFunction> function, std::vector<char> wanted, bool persistent)
      : function_(std::move(function)), wanted_(std::move(wanted)), persistent_(persistent) {}

  const std::shared_ptr<const NodeFunction>& function() const { return function_; }
  const std::vector<char>& wanted() const { return wanted_; }

  const char* type() const override { return function_->type(); }
  bool has_effects() const override { return function_->has_effects(); }
  std::vector<const Graph*> graphs() const override { return function_->graphs(); }
  std::vector<std::vector<size_t>> captures() const override { return function_->captures(); }
  std::span<const VariableRef> variables() const override { return function_->variables(); }
  std::vector<Variable*> reads() const override { return function_->reads(); }
  bool connects(size_t source) const override { return function_->connects(source); }
  DType row_indices(size_t source) const override { return function_->row_indices(source); }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    auto result = std::make_unique<Run>();
    auto& [tapes, sources, targets] = *result;
    tapes.emplace_back(Tape::Options{.persistent = persistent_, .watch_accessed = false});
    Tape* const tape = tapes[0].get();
    TensorList own;
    for (const Tensor& input : inputs) {
      if (is_tape(input)) {
        own.push_back(input);
        append(run_of(input), *result);
        continue;
      }
      Run::Source& source = sources.emplace_back();
      source.spec = {input.dtype(), input.shape()};
      const bool watched = wanted_[sources.size() - 1] && is_watchable(input);
      // Two inputs may be the same tensor; here they have separate gradients.
      own.push_back(watched ? call(ops::identity, {input}) : input);
      if (!watched) continue;
      tape->watch(own.back());
      source.id = own.back().impl()->id();
    }
    for (Variable* traced : function_->reads()) {
      Variable& variable = SwappedVariables::find(*traced);
      Run::Source& source = sources.emplace_back();
      source.spec = {variable.dtype(), variable.shape()};
      if (!wanted_[sources.size() - 1]) continue;
      tape->watch(variable);
      source.id = variable.id();
    }
    {
      std::vector<std::unique_ptr<RecordingOn>> recording;
      for (const TapeRef& ref : tapes)
        recording.push_back(std::make_unique<RecordingOn>(ref.get()));
      if (Graph* const graph = building()) {
        function_->retrace(*graph, own, outputs);
      } else {
        function_->run(own, outputs);
      }
    }
    for (const Tensor& output : outputs) targets.push_back(output.impl()->id());
    outputs.push_back(Tensor(TensorImpl::create_lazy(DType::kInvalid, Shape(), std::move(result))));
  }

 private:
  // A tape that came with another input already records the run, and gives the gradients there.
  static void append(const Run& inner, Run& result) {
    std::vector<size_t> places;
    std::vector<char> known;
    for (const TapeRef& tape : inner.tapes) {
      const auto found = std::ranges::find(result.tapes, tape.get(), &TapeRef::get);
      known.push_back(found != result.tapes.end());
      places.push_back(static_cast<size_t>(found - result.tapes.begin()));
      if (!known.back()) result.tapes.push_back(tape);
    }
    for (Run::Source source : inner.sources) {
      if (known[source.tape]) source.id = 0;
      source.tape = places[source.tape];
      result.sources.push_back(std::move(source));
    }
  }

  std::shared_ptr<const NodeFunction> function_;
  std::vector<char> wanted_;
  bool persistent_;
};

// Goes back through the tapes of a run. Inputs: the run, and gradients of some of its outputs.
class TapeGradient final : public NodeFunction {
 public:
  using Wanted = TapedRun::Wanted;
  TapeGradient(std::vector<Wanted> wanted, std::vector<size_t> given)
      : wanted_(std::move(wanted)), given_(std::move(given)) {}

  const char* type() const override { return "SymbolicGradient"; }
  const std::vector<Wanted>& wanted() const { return wanted_; }
  const std::vector<size_t>& given() const { return given_; }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    const Run& recorded = run_of(inputs[0]);
    std::vector<uint64_t> targets;
    for (const size_t target : given_) targets.push_back(recorded.targets[target]);
    std::vector<Gradient> results(wanted_.size());
    for (size_t t = 0; t < recorded.tapes.size(); ++t) {
      std::vector<uint64_t> sources;
      std::vector<size_t> places;
      for (size_t k = 0; k < wanted_.size(); ++k) {
        const Run::Source& source = recorded.sources[wanted_[k].source];
        if (source.tape != t) continue;
        sources.push_back(source.id);
        places.push_back(k);
      }
      if (sources.empty()) continue;
      std::vector<Gradient> found = recorded.tapes[t]->gradient(std::span<const uint64_t>(targets),
                                                                inputs.subspan(1), sources);
      for (size_t s = 0; s < found.size(); ++s) results[places[s]] = std::move(found[s]);
    }
    for (size_t k = 0; k < wanted_.size(); ++k) {
      const TensorSpec& spec = recorded.sources[wanted_[k].source].spec;
      if (wanted_[k].row_indices == DType::kInvalid) {
        outputs.push_back(results[k] ? densify(results[k]) : zeros(spec.dtype, spec.shape));
      } else {
        push_rows(results[k], spec, wanted_[k].row_indices, outputs);
      }
    }
  }

 private:
  static void push_rows(const Gradient& gradient, const TensorSpec& spec, DType dtype,
                        TensorList& outputs) {
    if (gradient.sparse()) {
      outputs.push_back(gradient.values);
      outputs.push_back(cast_to(gradient.indices, dtype));
      return;
    }
    Shape rows = spec.shape;
    if (!gradient) rows[0] = 0;
    outputs.push_back(gradient ? gradient.values : zeros(spec.dtype, rows));
    Tensor indices = Tensor::empty(DType::kInt64, {rows[0]});
    for (int64_t i = 0; i < rows[0]; ++i) indices.mutable_data<int64_t>()[i] = i;
    outputs.push_back(cast_to(indices, dtype));
  }

  std::vector<Wanted> wanted_;
  std::vector<size_t> given_;
};

// A source as a tensor of the graph.
struct Source {
  uint64_t id = 0;  // 0 if it has no gradients
  TensorSpec spec;
  DType row_indices = DType::kInvalid;
};

std::vector<Source> sources_of(const NodeFunction& function, std::span<const Tensor> inputs) {
  std::vector<Source> sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    if (is_tape(input)) {
      const auto [graph, id] = origin_of(input);
      const Node& node = graph->node(id);
      TensorList own;
      for (const Port& port : node.inputs) own.push_back(graph->tensor(port));
      std::ranges::copy(sources_of(*node.function, own), std::back_inserter(sources));
      continue;
    }
    Source& source = sources.emplace_back();
    source.spec = {input.dtype(), input.shape()};
    if (!is_watchable(input) || !function.connects(i)) continue;
    source.id = input.impl()->id_or_zero();
    source.row_indices = function.row_indices(i);
  }
  const std::vector<Variable*> variables = function.reads();
  for (size_t k = 0; k < variables.size(); ++k) {
    Source& source = sources.emplace_back();
    source.spec = {variables[k]->dtype(), variables[k]->shape()};
    if (!is_differentiable(source.spec.dtype) || !function.connects(inputs.size() + k)) continue;
    source.id = variables[k]->id();
    source.row_indices = function.row_indices(inputs.size() + k);
  }
  return sources;
}

// Makes a node keep the tape of its run, if it does not yet; returns the tape.
Tensor keep_tape(Graph& graph, NodeId id, const std::vector<char>& wanted, bool persistent) {
  Node& node = graph.node(id);
  const auto* const recorded = dynamic_cast<const Recorded*>(node.function.get());
  std::vector<char> all = wanted;
  if (recorded) {
    for (size_t i = 0; i < all.size(); ++i) all[i] |= recorded->wanted()[i];
  }
  // Tapes of an earlier run on which this run continues to record.
  size_t first = 0;
  for (const Port& port : node.inputs) {
    const Tensor& input = graph.tensor(port);
    if (!is_tape(input)) {
      ++first;
      continue;
    }
    const auto [origin, inner] = origin_of(input);
    const auto& before = dynamic_cast<const Recorded&>(*origin->node(inner).function).wanted();
    std::vector<char> more(all.begin() + static_cast<int64_t>(first),
                           all.begin() + static_cast<int64_t>(first + before.size()));
    keep_tape(*origin, inner, more, true);
    first += before.size();
  }
  node.function = std::make_shared<Recorded>(recorded ? recorded->function() : node.function, all,
                                             persistent || recorded);
  if (!recorded) graph.add_output(id, {DType::kInvalid, Shape()});
  return node.outputs.back();
}

class FunctionBackward final : public BackwardFunction {
 public:
  FunctionBackward(GraphPtr graph, NodeId id, std::vector<Source> sources)
      : graph_(std::move(graph)), id_(id), sources_(std::move(sources)) {}

  bool takes_missing() const override { return true; }

  std::vector<Gradient> run(std::span<const Tensor> dy, std::span<const char> wanted) override {
    std::vector<Gradient> gradients(sources_.size());
    Graph* const current = building();
    if (!current) return gradients;
    std::vector<TapeGradient::Wanted> asked;
    std::vector<char> watched(sources_.size());
    SpecList specs;
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (!wanted[i] || !sources_[i].id) continue;
      watched[i] = 1;
      const auto& [dtype, shape] = sources_[i].spec;
      const bool rows = sources_[i].row_indices != DType::kInvalid && shape.fully_known();
      asked.push_back({i, rows ? sources_[i].row_indices : DType::kInvalid});
      specs.push_back({dtype, shape});
      if (!rows) continue;
      specs.back().shape[0] = kUnknownSize;
      specs.push_back({sources_[i].row_indices, {kUnknownSize}});
    }
    if (asked.empty()) return gradients;
    TensorList inputs;
    inputs.push_back(keep_tape(*graph_, id_, watched, current != graph_.get()));
    std::vector<size_t> given;
    for (size_t j = 0; j < dy.size(); ++j) {
      if (!dy[j]) continue;
      given.push_back(j);
      inputs.push_back(dy[j]);
    }
    const TensorList results =
        add_function(*current, std::make_shared<TapeGradient>(asked, std::move(given)), inputs,
                     specs, current->name_of_gradient(graph_->node(id_).name));
    size_t next = 0;
    for (const auto& [i, row_indices] : asked) {
      gradients[i].values = results[next++];
      if (row_indices == DType::kInvalid) continue;
      gradients[i].indices = results[next++];
      gradients[i].dense_shape = sources_[i].spec.shape;
    }
    return gradients;
  }

 private:
  GraphPtr graph_;
  NodeId id_;
  std::vector<Source> sources_;
};

}  // namespace

bool is_tape(const Tensor& tensor) { return tensor.dtype() == DType::kInvalid; }

std::pair<GraphPtr, NodeId> origin_of(const Tensor& tape) {
  const Symbol* const symbol = symbol_of(tape);
  GraphPtr graph = symbol->graph();
  if (const Capture* const capture = graph->capture_of(tape)) return origin_of(capture->outer);
  return {std::move(graph), symbol->port().node};
}

std::optional<TapedRun> taped_run(Graph& graph, const Node& node) {
  if (!node.function) return std::nullopt;
  const auto* const gradient = dynamic_cast<const TapeGradient*>(&plain_function(node));
  if (!gradient) return std::nullopt;
  const std::pair<GraphPtr, NodeId> place = origin_of(graph.tensor(node.inputs[0]));
  const GraphPtr& origin = place.first;
  const Node& run = origin->node(place.second);
  // The gradient of a gradient continues on the tape of the first; so do parts of loops.
  const auto goes_on = [&](const Port& port) { return is_tape(origin->tensor(port)); };
  if (std::ranges::any_of(run.inputs, goes_on)) {
    const std::optional<TapedRun> before = taped_run(*origin, run);
    if (!before || before->graph != origin) return std::nullopt;
  }
  return TapedRun{origin, place.second, &gradient->wanted(), &gradient->given()};
}

const NodeFunction& plain_function(const Node& node) {
  const auto* const recorded = dynamic_cast<const Recorded*>(node.function.get());
  return recorded ? *recorded->function() : *node.function;
}

void record_function(Graph& graph, NodeId id, std::span<const Tensor> inputs,
                     std::span<Tape* const> tapes) {
  const Node& node = graph.node(id);
  // The tape that the node keeps may have been added after the node.
  auto outputs = std::span<const Tensor>(node.outputs);
  if (!outputs.empty() && is_tape(outputs.back())) outputs = outputs.first(outputs.size() - 1);
  const std::vector<Variable*> variables = node.function->reads();
  for (Tape* tape : tapes) {
    for (Variable* variable : variables) tape->watch_read(*variable);
  }
  if (node.function->record(tapes, inputs, outputs)) return;
  std::vector<Source> sources = sources_of(*node.function, inputs);
  std::vector<uint64_t> ids;
  for (const Source& source : sources) ids.push_back(source.id);
  const auto backward =
      std::make_shared<FunctionBackward>(graph.shared_from_this(), id, std::move(sources));
  for (Tape* tape : tapes) tape->record(backward, ids, outputs);
}

}  // namespace ef::graph
