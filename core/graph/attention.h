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

namespace ef::graph {

// One pass of an attention.
class Attention {
 public:
  struct Found;
  static std::vector<Found> find(std::span<const NodeSlots> steps, const SlotFacts& facts);
  // Makes the forward pass store what the backward pass needs in a slot.
  static void keep_for_backward(Found& found, int32_t slot);

  // The slots of the inputs of a run.
  std::span<const int32_t> inputs() const { return inputs_; }
  // The slots that a run fills; -1 for values that nothing needs.
  std::span<const int32_t> outputs() const { return outputs_; }
  // The slot of the weights, which a run does not fill.
  int32_t weights() const { return weights_; }

  // Returns false, with nothing done, if the nodes have to run one by one: the shapes do not match,
  // or a tape or an observer has to see each node.
  bool run(std::span<const Tensor> inputs, TensorList& outputs) const;

 private:
  class Search;

  const Node* softmax_ = nullptr;
  bool backward_ = false;
  bool keys_in_columns_ = false;
  int mask_sign_ = 0;          // -1 if the mask is subtracted, 0 if there is none
  bool chooses_ = false;       // a condition chooses between scores and a scalar, forward only
  bool shown_ = true;          // the value of the condition that chooses scores
  std::vector<char> divides_;  // whether the scores are divided by a scale
  int32_t weights_ = -1;
  size_t shifts_ = 0;  // scalars that are added to the scores
  // Queries, keys, values, the mask (or the condition and the scalar), the scales, the shifts. Of
  // the backward pass also the result, its gradient, and the values that the forward pass kept.
  std::vector<int32_t> inputs_;
  // The result and the kept values, or the gradients by queries, keys and values.
  std::vector<int32_t> outputs_;
};

struct Attention::Found {
  // In order. The steps of the backward pass begin with the forward steps that compute the weights.
  std::vector<size_t> forward, backward;
  size_t recomputing = 0;
  std::unique_ptr<Attention> passes[2];  // the second one is null if there is no backward pass
};

}  // namespace ef::graph
