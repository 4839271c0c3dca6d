// Subgraphs, and values of a graph's tensors.
#include "graph/prune.h"

#include <utility>
#include <vector>

#include "graph/plan.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

[[noreturn]] void missing_feed(const Node& placeholder) {
  fail(Code::kIndexError, placeholder.name);
}

// Maps tensors of the old graph to the tensors that replace them in the new one.
class Copies {
 public:
  explicit Copies(const Graph& graph) : graph_(graph), made_(static_cast<size_t>(graph.size())) {}

  void set(const Port& port, const Tensor& tensor) {
    TensorList& outputs = made_[static_cast<size_t>(port.node)];
    while (outputs.size() < graph_.node(port.node).outputs.size()) outputs.push_back({});
    outputs[static_cast<size_t>(port.output)] = tensor;
  }
  // Empty if there is none.
  Tensor get(const Port& port) const {
    const TensorList& outputs = made_[static_cast<size_t>(port.node)];
    return outputs.empty() ? Tensor() : outputs[static_cast<size_t>(port.output)];
  }

 private:
  const Graph& graph_;
  std::vector<TensorList> made_;  // by node; empty where nothing was copied
};

Node without_inputs(const Node& node) {
  Node copy;
  copy.constant = node.constant;
  copy.op = node.op;
  copy.function = node.function;
  copy.attrs = node.attrs;
  copy.num_op_inputs = node.num_op_inputs;
  copy.late = node.late;
  copy.source = node.source;
  copy.graphs = node.graphs;
  return copy;
}

}  // namespace

void prune(Graph& graph, std::span<const Tensor> feeds, std::span<const Tensor> fetches,
           Graph& part, bool effects) {
  std::vector<Port> results;
  for (const Tensor& fetch : fetches) results.push_back(graph.port_of(fetch));
  Copies copies(graph);
  // Nodes whose values follow from tensors that are fed, but had a value.
  std::vector<char> other(static_cast<size_t>(graph.size()));
  for (const Tensor& feed : feeds) {
    const Port port = graph.port_of(feed);
    const Tensor& old = graph.tensor(port);
    const Symbol* const symbol = symbol_of(old);
    other[static_cast<size_t>(port.node)] |= symbol->value() || symbol->numbers() ? 1 : 0;
    copies.set(port, part.add_input({old.dtype(), old.shape()}, graph.node(port.node).name));
  }
  std::vector<char> needed(static_cast<size_t>(graph.size()));
  const auto need = [&](const Port& port) {
    if (!copies.get(port)) needed[static_cast<size_t>(port.node)] = 1;
  };
  for (const Port& port : results) need(port);
  for (NodeId id = graph.size(); id-- > 0;) {
    if (effects && graph.node(id).has_effects()) needed[static_cast<size_t>(id)] = 1;
    if (!needed[static_cast<size_t>(id)]) continue;
    for (const Port& port : graph.node(id).inputs) need(port);
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!needed[static_cast<size_t>(id)]) continue;
    const Node& node = graph.node(id);
    SpecList specs;
    for (const Tensor& output : node.outputs) specs.push_back({output.dtype(), output.shape()});
    if (!node.op && !node.function && !node.constant) {
      const Capture* const capture = graph.capture_of(node.outputs[0]);
      if (!capture) missing_feed(node);
      copies.set({id, 0}, part.add_capture(capture->outer, specs[0]));
      continue;
    }
    Node copy = without_inputs(node);
    for (const Port& port : node.inputs) {
      copy.inputs.push_back(symbol_of(copies.get(port))->port());
      other[static_cast<size_t>(id)] |= other[static_cast<size_t>(port.node)];
    }
    const Node& added = part.add(std::move(copy), specs, node.name);
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const Port port{id, static_cast<int32_t>(k)};
      const Symbol* const old = symbol_of(node.outputs[k]);
      Symbol* const symbol = symbol_of(added.outputs[k]);
      const bool same = !other[static_cast<size_t>(id)];
      if (same && old->value()) symbol->set_value(old->value(), old->from_capture());
      if (same && old->numbers()) symbol->set_numbers(*old->numbers());
      if (!copies.get(port)) copies.set(port, added.outputs[k]);
    }
  }
  TensorList outputs;
  for (const Port& port : results) outputs.push_back(copies.get(port));
  part.finish(outputs);
}

Tensor evaluated(Graph& graph, const Tensor& tensor, std::span<const Tensor> inputs) {
  const Tensor& own = graph.tensor(graph.port_of(tensor));
  const Plan plan(graph, {&own, 1}, {.all_effects = false});
  TensorList arguments;
  const auto add = [&](const Tensor& value, const Tensor& placeholder) {
    if (!value && plan.needs_argument(arguments.size())) {
      missing_feed(graph.node(symbol_of(placeholder)->port().node));
    }
    arguments.push_back(value);
  };
  for (size_t k = 0; k < graph.inputs().size(); ++k) {
    add(k < inputs.size() ? inputs[k] : Tensor(), graph.inputs()[k]);
  }
  for (const Capture& capture : graph.captures()) {
    add(is_symbolic(capture.outer) ? Tensor() : capture.outer, capture.inner);
  }
  TensorList results;
  plan.run(arguments, results);
  return results[0];
}

}  // namespace ef::graph
