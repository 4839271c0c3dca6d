// Products and convolutions of a plan that run together with the steps that follow: biases, batch
// normalisations with known moments, residuals, and elementwise operations of one input.
//
// Biases and normalisations are folded into the weights, once for each value of the weights. All
// other steps process a part of the result while it is in the cache.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "graph/chains.h"
#include "graph/graph.h"
#include "kernels/cpu/finished_convolution.h"
#include "tensor/tensor_list.h"

namespace ef::graph {

// Facts about a plan's slots.
struct SlotFacts {
  std::vector<int32_t> readers;  // the number of inputs of steps, and of results, that read a slot
  std::vector<char> computed;    // by an operation, in contrast to what comes from outside, such as
                                 // the value of a variable
  std::vector<const Shape*> shapes;
};

// Nodes that run as one product or convolution.
class Fusion {
 public:
  struct Found;
  // The steps that can run together with each product or convolution.
  static std::vector<Found> find(std::span<const NodeSlots> steps, const SlotFacts& facts);

  // The slots of the inputs of a run.
  std::span<const int32_t> inputs() const { return inputs_; }

  // What a convolution computes for each element of its result, from the shape of its filter; 0 for
  // products, and where the result is a view or sizes are unknown.
  int64_t operations_for_pixel(const Shape& filter) const;
  // Whether an input of a convolution has the result's batch; the others are the same for all
  // images.
  bool has_batch(size_t input) const {
    return input == 0 || static_cast<int32_t>(input) == addend_;
  }

  // Returns false, with nothing done, if the nodes have to run one by one: the shapes do not match,
  // or a tape or an observer has to see each node.
  bool run(std::span<const Tensor> inputs, TensorList& outputs) const;

  // Marks the weights as changed by the graph: they are never prepared. The first steps of training
  // therefore round like all later steps, also after a restart from a file.
  void set_trained() { trained_ = true; }

 private:
  // The operations that change the columns of the weights and the offsets of the channels, in
  // order.
  struct Affine {
    enum Kind : uint8_t { kOffset, kScale, kNormalize } kind;
    int32_t first_input;  // of one, or of four
    double epsilon = 0;
  };
  // The prepared weights and offsets for one value of their sources.
  struct Folded {
    std::vector<uint64_t> ids;
    bool ready = false;        // otherwise it has only the ids
    std::vector<float> scale;  // empty if the weights are used unchanged
    std::vector<float> offsets;
    cpu::ReadyWeights weights;
  };
  class Search;

  int32_t add_input(int32_t slot);
  // Null if preparation does not pay, or if shapes do not match.
  std::shared_ptr<Folded> folded(std::span<const Tensor> inputs, int64_t channels) const;
  Tensor padded(const Tensor& image) const;
  cpu::Convolution describe(const Shape& image, const Shape& filter, const Shape& result) const;
  bool fold(std::span<const Tensor> inputs, int64_t channels, Folded& folded) const;
  bool fold_once(std::span<const Tensor> inputs, int64_t channels, Folded& once) const;

  const Node* node_ = nullptr;   // the product or convolution
  const Node* pad_ = nullptr;    // the padding of its image
  std::vector<int32_t> inputs_;  // the slots of its operands, then of all other inputs
  std::vector<Affine> affine_;
  int32_t addend_ = -1;  // the index of the input
  cpu::Limits limits_;
  bool ends_ = false;  // with limits or loops
  std::vector<ElementLoop> loops_;
  const Node* view_ = nullptr;  // a reshape that keeps the channels
  int32_t view_inputs_ = 0;     // the first input that provides its sizes

  bool trained_ = false;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<Folded> folded_;
  mutable int changes_ = 0;  // of the weights, in consecutive runs
};

struct Fusion::Found {
  std::vector<size_t> steps;  // in order; the last one computes the only result
  std::unique_ptr<Fusion> fusion;
};

}  // namespace ef::graph
