// Sums in a plan of which one operand is zero except for a part (eager/part_sums.h).
#pragma once

#include <span>
#include <vector>

#include "graph/chains.h"
#include "graph/fusions.h"

namespace ef::graph {

// The step that computes the operand that is mostly zero, and the sum, which is its only reader.
struct PartSum {
  size_t part;
  size_t sum;
  int32_t whole;  // the slot of the other operand, which has no other readers
};
std::vector<PartSum> part_sums(std::span<const NodeSlots> steps, const SlotFacts& facts);

// Adds the result of the node `part` for these inputs to `whole`. Returns false, with nothing done,
// if `whole` has other handles, or if a tape or an observer has to see both nodes.
bool add_part(const Node& part, std::span<const Tensor> inputs, const Tensor& whole);

}  // namespace ef::graph
