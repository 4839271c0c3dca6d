// Records a graph's nodes on a tape after they were added.
#include "graph/gradients.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "eager/variable.h"
#include "graph/record.h"
#include "graph/variables.h"

namespace ef::graph {

std::vector<Gradient> gradients(Graph& graph, std::span<const Tensor> ys,
                                std::span<const Tensor> weights,
                                std::span<const DifferentiatedBy> xs,
                                std::span<const Tensor> constants,
                                std::vector<GradientNodes>* origins) {
  const auto inside = [&](const Tensor& tensor) { return graph.tensor(graph.port_of(tensor)); };
  const TapeRef tape(Tape::Options{.persistent = false, .watch_accessed = false});
  Tape* const tapes[] = {tape.get()};
  std::vector<uint64_t> sources;
  for (const DifferentiatedBy& x : xs) {
    if (x.variable) {
      tape->watch(*x.variable);
      sources.push_back(x.variable->id());
    } else {
      const Tensor source = inside(x.tensor);
      tape->watch(source);
      sources.push_back(source.impl()->id());
    }
  }
  TensorList targets, cut;
  for (const Tensor& y : ys) targets.push_back(inside(y));
  for (const Tensor& constant : constants) cut.push_back(inside(constant));
  const NodeId count = graph.size();
  std::vector<NodeId> recorded;  // by record, the node
  for (NodeId id = 0; id < count; ++id) {
    Variable* const variable = read_by(graph.node(id));
    const TensorList& outputs = graph.node(id).outputs;
    if (variable) {
      if (tape->watches(*variable)) tape->variable_read(*variable, outputs[0]);
    } else {
      record_node(graph, id, tapes);
    }
    recorded.resize(tape->record_count(), id);
    for (const Tensor& output : outputs) {
      const auto found = std::ranges::find(cut, output.impl(), &Tensor::impl);
      if (found != cut.end()) tape->cut(output);
    }
  }
  const struct Around {
    Graph& graph;
    const std::string device = graph.device();
    const std::string scope = graph.set_scope({});
    ~Around() {
      graph.set_device(device);
      graph.set_scope(scope);
    }
  } around{graph};
  tape->on_reached([&](std::optional<size_t> record) {
    if (!record) return graph.set_scope({}), void();
    const NodeId of = recorded[*record];
    graph.set_scope(cat(graph.node(of).name, "_grad/"));
    if (!origins) return;
    const std::shared_ptr<const std::string>& own = graph.node(of).device;
    graph.set_device(own ? *own : around.device);
    origins->push_back({graph.size(), of});
  });
  return tape->gradient(targets, weights, sources);
}

}  // namespace ef::graph
