// Assignments in a plan of a variable's own value with a part changed. Together, the nodes are one
// change in place: they cost as much as the part.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graph/chains.h"
#include "graph/fusions.h"

namespace ef::graph {

struct PartUpdate {
  // The steps, of which nothing else reads results.
  size_t read;
  size_t change;
  size_t assign;
  // Runs in place of the assignment, with the inputs of `change` but the first.
  std::unique_ptr<const Node> node;
};
std::vector<PartUpdate> part_updates(std::span<const NodeSlots> steps, const SlotFacts& facts);

}  // namespace ef::graph
