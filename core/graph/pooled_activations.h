// Activations in a plan whose results only a max pooling reads, and the gradients of both.
#pragma once

#include <span>
#include <vector>

#include "graph/chains.h"
#include "graph/fusions.h"

namespace ef::graph {

// Steps: the pooling, its gradient, and the activation's gradient, which is the only reader of
// that.
struct PooledActivation {
  size_t pooling;
  size_t pooling_gradient;
  size_t slope;
};
std::vector<PooledActivation> pooled_activations(std::span<const NodeSlots> steps,
                                                 const SlotFacts& facts,
                                                 std::span<const DType> types);

}  // namespace ef::graph
