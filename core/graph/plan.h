// A plan: the nodes that a run of a graph needs, in order, with the slots of their values.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace ef::graph {

// Runs a node that is no placeholder on values.
void run_node(const Node& node, std::span<const Tensor> inputs, TensorList& outputs);

class Plan {
 public:
  // For these results, and all effects unless only those that results need. The graph must live as
  // long as the plan.
  Plan(const Graph& graph, std::span<const Tensor> results, bool all_effects = true);

  // Whether results depend on one of the arguments.
  bool needs_argument(size_t index) const { return arguments_[index] >= 0; }

  // `arguments` are the values of the graph's inputs, then of its captures. Throws what operations
  // throw; `failed`, if given, is then the node.
  void run(std::span<const Tensor> arguments, TensorList& results,
           const Node** failed = nullptr) const;

 private:
  struct Step {
    const Node* node;
    int32_t first_slot;
    InlineVector<int32_t, 4> inputs;     // slots
    InlineVector<int32_t, 4> last_used;  // slots that nothing reads after this step
  };

  std::vector<Step> steps_;
  std::vector<std::pair<int32_t, Tensor>> constants_;  // slots and their values
  std::vector<int32_t> arguments_;                     // slots; -1 if nothing needs it
  std::vector<int32_t> results_;                       // slots
  int32_t num_slots_ = 0;
};

}  // namespace ef::graph
