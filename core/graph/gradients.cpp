// Records a graph's nodes on a tape after they were added.
#include "graph/gradients.h"

#include <algorithm>

#include "eager/variable.h"
#include "graph/record.h"
#include "graph/variables.h"

namespace ef::graph {

std::vector<Gradient> gradients(Graph& graph, std::span<const Tensor> ys,
                                std::span<const Tensor> weights,
                                std::span<const DifferentiatedBy> xs,
                                std::span<const Tensor> constants) {
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
  for (NodeId id = 0; id < count; ++id) {
    Variable* const variable = read_by(graph.node(id));
    const TensorList& outputs = graph.node(id).outputs;
    if (variable) {
      if (tape->watches(*variable)) tape->variable_read(*variable, outputs[0]);
    } else {
      record_node(graph, id, tapes);
    }
    for (const Tensor& output : outputs) {
      const auto found = std::ranges::find(cut, output.impl(), &Tensor::impl);
      if (found != cut.end()) tape->cut(output);
    }
  }
  return tape->gradient(targets, weights, sources);
}

}  // namespace ef::graph
