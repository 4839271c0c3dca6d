// Steps of a plan that compute the same become one.
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/plan.h"
#include "graph/variables.h"
#include "ops/op.h"

namespace ef::graph {

// Steps by operation, attributes and inputs: nodes that agree in all of these become one step.
class Plan::SharedSteps {
 public:
  // The slot of an earlier step's first output, if that step computes the same; otherwise -1, and
  // the step is remembered.
  int32_t find(const Step& step) {
    size_t hash = std::hash<const void*>()(step.node->op);
    InlineVector<int32_t, 4> inputs;
    for (const Input& input : step.inputs) {
      inputs.push_back(input.slot);
      hash = hash * 31 + static_cast<size_t>(input.slot);
    }
    const auto [first, last] = known_.equal_range(hash);
    for (auto other = first; other != last; ++other) {
      const Known& earlier = other->second;
      if (earlier.node->op == step.node->op && std::ranges::equal(earlier.inputs, inputs) &&
          AttrsRef(earlier.node->attrs) == AttrsRef(step.node->attrs)) {
        return earlier.slot;
      }
    }
    known_.emplace(hash, Known{step.node, inputs, step.first_slot});
    return -1;
  }

 private:
  struct Known {
    const Node* node;
    InlineVector<int32_t, 4> inputs;
    int32_t slot;
  };
  std::unordered_multimap<size_t, Known> known_;
};

// Operations with the same inputs, and reads of a variable between which nothing may change it.
void Plan::share_steps() {
  std::vector<char> returned(static_cast<size_t>(num_slots_)), dropped(steps_.size());
  for (const End& result : results_) {
    if (result.slot >= 0) returned[static_cast<size_t>(result.slot)] = 1;
  }
  std::vector<int32_t> moved(static_cast<size_t>(num_slots_));
  std::iota(moved.begin(), moved.end(), 0);
  std::map<const Variable*, int32_t> reads;
  SharedSteps shared;
  for (size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    const Node& node = *step.node;
    for (Input& input : step.inputs) {
      if (input.slot >= 0) input.slot = moved[static_cast<size_t>(input.slot)];
    }
    const auto outputs = static_cast<int32_t>(node.outputs.size());
    bool own = outputs == 0;  // so that tapes can distinguish results
    for (int32_t k = 0; k < outputs; ++k) own |= returned[static_cast<size_t>(step.first_slot + k)];
    int32_t same = -1;
    if (node.has_effects()) reads.clear();
    if (const Variable* const variable = own ? nullptr : read_by(node)) {
      const auto [known, first] = reads.try_emplace(variable, step.first_slot);
      if (!first) same = known->second;
    } else if (!own && node.op && node.late.empty()) {
      same = shared.find(step);
    }
    if (same < 0) continue;
    for (int32_t k = 0; k < outputs; ++k) {
      moved[static_cast<size_t>(step.first_slot + k)] = same + k;
    }
    dropped[i] = 1;
  }
  drop(dropped);
}

}  // namespace ef::graph
