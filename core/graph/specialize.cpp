// Traces graphs again.
#include "graph/specialize.h"

#include <utility>
#include <vector>

#include "graph/record.h"
#include "graph/taping.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

// The nodes that the outputs and effects of a graph need.
std::vector<char> needed_nodes(const Graph& graph) {
  std::vector<char> needed(static_cast<size_t>(graph.size()));
  for (const Tensor& output : graph.outputs()) {
    needed[static_cast<size_t>(symbol_of(output)->port().node)] = 1;
  }
  for (NodeId id = graph.size(); id-- > 0;) {
    const Node& node = graph.node(id);
    if (node.has_effects()) needed[static_cast<size_t>(id)] = 1;
    if (!needed[static_cast<size_t>(id)]) continue;
    for (const Port& port : node.inputs) needed[static_cast<size_t>(port.node)] = 1;
    for (const NodeId control : node.controls) needed[static_cast<size_t>(control)] = 1;
  }
  return needed;
}

// Adds an operation with the attributes that are known now, and holes for all others.
void replay_op(Graph& graph, const Node& node, std::span<const Tensor> inputs,
               TensorList& outputs) {
  SavedAttrs attrs = node.attrs;
  std::vector<Hole> holes;
  for (const LateAttr& late : node.late) {
    Node one;
    one.attrs = attrs;
    one.late.push_back(late);
    bool unknown = false;
    attrs = known_attrs(one, inputs, unknown);
    if (unknown) {
      holes.push_back(
          {late.field, late.element < 0, inputs[static_cast<size_t>(late.input)], late.position});
    }
  }
  add_call(graph, *node.op, inputs.first(static_cast<size_t>(node.num_op_inputs)), attrs, holes,
           node.name, outputs);
}

// Returns the outputs. `values` holds the outputs of nodes that are not added again, and receives
// all others.
TensorList replay(const Graph& graph, std::span<const Tensor> arguments,
                  std::span<const NodeId> without, std::vector<TensorList>& values) {
  size_t next = 0;
  const auto bind = [&](const Tensor& placeholder) {
    values[static_cast<size_t>(symbol_of(placeholder)->port().node)].push_back(arguments[next++]);
  };
  for (const Tensor& input : graph.inputs()) bind(input);
  for (const Capture& capture : graph.captures()) bind(capture.inner);
  std::vector<char> needed = needed_nodes(graph);
  for (const NodeId id : without) needed[static_cast<size_t>(id)] = 0;
  for (NodeId id = 0; id < graph.size(); ++id) {
    TensorList& results = values[static_cast<size_t>(id)];
    if (!needed[static_cast<size_t>(id)] || !results.empty()) continue;
    const Node& node = graph.node(id);
    if (node.constant) {
      results.push_back(node.constant);
      continue;
    }
    TensorList inputs;
    for (const Port& port : node.inputs) {
      inputs.push_back(values[static_cast<size_t>(port.node)][static_cast<size_t>(port.output)]);
    }
    if (node.op) {
      replay_op(*building(), node, inputs, results);
    } else if (node.function) {
      node.function->retrace(*building(), inputs, results);
    } else {
      fail(Code::kInternal, "The placeholder ", node.name, " of ", graph.name(), " has no value.");
    }
  }
  if (!graph.replicas().empty()) building()->set_replicas(graph.replicas());
  TensorList outputs;
  for (const Tensor& output : graph.outputs()) {
    const Port port = symbol_of(output)->port();
    outputs.push_back(values[static_cast<size_t>(port.node)][static_cast<size_t>(port.output)]);
  }
  return outputs;
}

}  // namespace

void replay_node(const Node& node, std::span<const Tensor> inputs, TensorList& outputs) {
  if (node.op) return replay_op(*building(), node, inputs, outputs);
  if (!node.function) fail(Code::kInternal, "The placeholder ", node.name, " has no value.");
  plain_function(node).retrace(*building(), inputs, outputs);
}

TensorList replayed(const Graph& graph, std::span<const Tensor> arguments) {
  std::vector<TensorList> values(static_cast<size_t>(graph.size()));
  return replay(graph, arguments, {}, values);
}

GraphPtr specialized(const Graph& graph, std::span<const TensorSpec> arguments) {
  return specialized(graph, arguments, {}, {}, {});
}

GraphPtr specialized(const Graph& graph, std::span<const TensorSpec> arguments,
                     std::span<const NodeId> without, std::span<const Port> ports,
                     std::span<const TensorSpec> given) {
  // New nodes keep the source positions of the graph's nodes.
  const auto found = std::exchange(find_source, nullptr);
  struct Restore {
    decltype(find_source) found;
    ~Restore() { find_source = found; }
  } restore{found};
  auto result = std::make_shared<Graph>(graph.name(), nullptr);
  result->set_for_program();
  const StopRecording unrecorded;
  const Building inside(result);
  TensorList inputs;
  for (size_t k = 0; k < arguments.size(); ++k) {
    inputs.push_back(result->add_input(arguments[k], "argument"));
  }
  // In a program, captures are constants.
  for (size_t k = graph.inputs().size(); k < inputs.size(); ++k) {
    const Tensor& outer = graph.captures()[k - graph.inputs().size()].outer;
    if (!is_symbolic(outer)) inputs[k] = outer;
  }
  std::vector<TensorList> values(static_cast<size_t>(graph.size()));
  for (size_t k = 0; k < ports.size(); ++k) {
    values[static_cast<size_t>(ports[k].node)].push_back(result->add_input(given[k], "given"));
  }
  result->finish(replay(graph, inputs, without, values));
  return result;
}

}  // namespace ef::graph
