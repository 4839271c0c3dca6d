// Sums in a plan of which one operand is zero but for a part: the gradient of a slice, or of what
// was gathered. Such a part is added to the other operand in place, so that the gradients of many
// slices of one tensor cost what the slices cost.
#pragma once

#include <span>
#include <vector>

#include "graph/chains.h"
#include "graph/fusions.h"

namespace ef::graph {

// The step that gives the operand with the part, and the sum, which is its only reader.
struct PartSum {
  size_t part;
  size_t sum;
  int32_t whole;  // the slot of the other operand, which nothing else reads
};
std::vector<PartSum> part_sums(std::span<const NodeSlots> steps, const SlotFacts& facts);

// Adds what the node `part` would give for these inputs to `whole`. False, with nothing done, if
// there are other handles on that, or a tape or another tool has to see both nodes.
bool add_part(const Node& part, std::span<const Tensor> inputs, const Tensor& whole);

}  // namespace ef::graph
