// Attention in a plan: products of queries and keys, scaled and masked, their softmax, and its
// product with values, and the gradients of these. They run without the scores in memory
// (kernels/cpu/attention.h) if nothing else reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/chains.h"
#include "graph/fusions.h"
#include "graph/graph.h"
#include "patterns/attention.h"

namespace ef::graph {

// One pass of an attention.
class Attention {
 public:
  struct Found;
  static std::vector<Found> find(std::span<const NodeSlots> steps, const SlotFacts& facts,
                                 std::span<const DType> types);
  // Makes the forward pass store the values for the backward pass in a slot.
  static void keep_for_backward(Found& found, int32_t slot);

  // The slots of the inputs of a run.
  std::span<const int32_t> inputs() const { return inputs_; }
  // The slots that a run fills; -1 for values that have no reader.
  std::span<const int32_t> outputs() const { return outputs_; }
  // The slot of the weights, which a run does not fill.
  int32_t weights() const { return weights_; }

  // Returns false, with nothing done, if the nodes have to run one by one: the shapes do not match,
  // or a tape or an observer has to see each node.
  bool run(std::span<const Tensor> inputs, TensorList& outputs) const;

 private:
  class Search;

  // Adds a slot to the inputs of a run, and returns its index there.
  size_t add_input(int32_t slot);

  bool backward_ = false;
  int32_t weights_ = -1;
  std::vector<int32_t> inputs_;
  // Indices of the inputs.
  patterns::AttentionOperands<size_t> operands_;
  // For the backward pass: the result, its gradient, and the values stored by the forward pass.
  size_t result_ = 0, result_grad_ = 0, kept_ = 0;
  // The result and the stored values, or the gradients with respect to queries, keys and values.
  std::vector<int32_t> outputs_;
};

struct Attention::Found {
  // In order. The backward steps begin with the forward steps that compute the weights.
  std::vector<size_t> forward, backward;
  size_t recomputing = 0;
  std::unique_ptr<Attention> passes[2];  // the second one is null if there is no backward pass
};

}  // namespace ef::graph
