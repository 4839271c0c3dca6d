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
  // Has the forward pass leave in a slot what the backward pass needs of it.
  static void keep_for_backward(Found& found, int32_t slot);

  // The slots of the inputs of a run.
  std::span<const int32_t> inputs() const { return inputs_; }
  // The slots that a run fills; -1 for what is not asked for.
  std::span<const int32_t> outputs() const { return outputs_; }
  // The slot of the weights, which a run does not fill.
  int32_t weights() const { return weights_; }

  // False, with nothing done, if the nodes have to run one by one: for shapes that do not fit, and
  // where a tape or another tool sees each of them.
  bool run(std::span<const Tensor> inputs, TensorList& outputs) const;

 private:
  class Search;

  const Node* softmax_ = nullptr;
  bool backward_ = false;
  bool keys_in_columns_ = false;
  int mask_sign_ = 0;          // -1 if the mask is subtracted, 0 if there is none
  bool chooses_ = false;       // a condition chooses between scores and a number, forward only
  bool shown_ = true;          // where it has this value, scores are taken
  std::vector<char> divides_;  // whether the scores are divided by a scale
  int32_t weights_ = -1;
  size_t shifts_ = 0;  // numbers that are added to the scores
  // Queries, keys, values, the mask (or the condition and the number), the scales, the shifts; of
  // the backward pass also the result, its gradient, and what the forward pass has kept.
  std::vector<int32_t> inputs_;
  // The result and what is kept, or the gradients by queries, keys and values.
  std::vector<int32_t> outputs_;
};

struct Attention::Found {
  // In order. Those of the backward pass begin with those of the forward pass that give the
  // weights.
  std::vector<size_t> forward, backward;
  size_t recomputing = 0;
  std::unique_ptr<Attention> passes[2];  // the second one is null if there is no backward pass
};

}  // namespace ef::graph
