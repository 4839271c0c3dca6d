// Recognises changes of parts of variables.
#include "graph/part_updates.h"

#include <algorithm>

#include "eager/variable.h"
#include "graph/graph.h"
#include "graph/variables.h"
#include "ops/op.h"

namespace ef::graph {
namespace {

// Whether a step may change the variable.
bool may_change(const Node& node, const Variable& variable) {
  if (!node.has_effects()) return false;
  Change change;
  const Variable* const assigned = assigned_by(node, change);
  return !assigned || assigned == &variable;
}

}  // namespace

std::vector<PartUpdate> part_updates(std::span<const NodeSlots> steps, const SlotFacts& facts) {
  std::vector<size_t> giver(facts.readers.size(), steps.size());  // the step that computes a slot
  std::vector<PartUpdate> found;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Node& node = *steps[i].node;
    if (!node.outputs.empty()) giver[static_cast<size_t>(steps[i].first_output)] = i;
    Change how;
    const Variable* const variable = assigned_by(node, how);
    if (!variable || how != Change::kReplace || variable->remainder()) continue;
    // The step that gives the only input of a step, which must be its only reader.
    const auto source = [&](size_t step) {
      const auto slot = static_cast<size_t>(steps[step].inputs[0]);
      return facts.readers[slot] == 1 ? giver[slot] : steps.size();
    };
    const size_t change = source(i);
    if (change == steps.size()) continue;
    const Node& changing = *steps[change].node;
    const auto needs_value = [](const LateAttr& attr) { return attr.input == 0; };
    if (!changing.op || !changing.op->changes_first ||
        std::ranges::any_of(changing.late, needs_value)) {
      continue;
    }
    const size_t read = source(change);
    if (read == steps.size() || read_by(*steps[read].node) != variable) continue;
    const auto between = steps.subspan(read + 1, i - read - 1);
    if (std::ranges::any_of(
            between, [&](const NodeSlots& step) { return may_change(*step.node, *variable); })) {
      continue;
    }
    found.push_back({read, change, i, changing_node(node, changing)});
  }
  return found;
}

}  // namespace ef::graph
