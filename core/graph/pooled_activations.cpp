// Selects activations that only a max pooling reads.
#include "graph/pooled_activations.h"

#include "ops/pooling.h"
#include "patterns/pooled_activations.h"

namespace ef::graph {

std::vector<PooledActivation> pooled_activations(std::span<const NodeSlots> steps,
                                                 const SlotFacts& facts,
                                                 std::span<const DType> types) {
  std::vector<PooledActivation> found;
  std::vector<int32_t> pooling(facts.readers.size(), -1);  // the pooling step that reads a slot
  std::vector<int32_t> gradient(facts.readers.size(),
                                -1);  // the pooling gradient that computes a slot
  for (size_t i = 0; i < steps.size(); ++i) {
    const NodeSlots& step = steps[i];
    const Node& node = *step.node;
    if (node.op == &ops::max_pool && node.late.empty()) {
      pooling[static_cast<size_t>(step.inputs[0])] = static_cast<int32_t>(i);
    } else if (node.op == &ops::max_pool_grad && node.late.empty()) {
      gradient[static_cast<size_t>(step.first_output)] = static_cast<int32_t>(i);
    }
    if (!patterns::is_gradient_with_flat_parts(node.op)) continue;
    const auto spread = static_cast<size_t>(step.inputs[0]);
    const auto x = static_cast<size_t>(step.inputs[1]);
    if (gradient[spread] < 0 || pooling[x] < 0 || facts.readers[spread] != 1) continue;
    constexpr int32_t kReaders = 3;  // these steps read the activation
    if (facts.readers[x] != kReaders || !facts.computed[x]) continue;
    const NodeSlots& forward = steps[static_cast<size_t>(pooling[x])];
    const NodeSlots& backward = steps[static_cast<size_t>(gradient[spread])];
    const AttrsRef attrs = forward.node->attrs;
    const bool fits = backward.inputs[0] == step.inputs[1] &&
                      backward.inputs[1] == forward.first_output &&
                      AttrsRef(backward.node->attrs) == attrs &&
                      patterns::saves_image(types[x], *facts.shapes[x], attrs);
    if (!fits) continue;
    found.push_back({static_cast<size_t>(pooling[x]), static_cast<size_t>(gradient[spread]), i});
  }
  return found;
}

}  // namespace ef::graph
