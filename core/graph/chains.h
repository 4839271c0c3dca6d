// Elementwise nodes of a plan that run together, in one pass over memory.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "kernels/cpu/chain.h"
#include "ops/attrs.h"

namespace ef::graph {

// A step of a plan, as chains use it: its node, and the slots that it reads and fills.
struct NodeSlots {
  const Node* node;
  InlineVector<int32_t, 4> inputs;
  int32_t first_output;
};

// The loop of an elementwise step; empty for other steps. `types` are the dtypes of all slots.
ElementLoop element_loop(const NodeSlots& step, std::span<const DType> types);

// Whether a shape is known to have one element.
bool is_single(const Shape& shape);

// Groups of elementwise steps that can run together, in order, in place of the last of each group.
std::vector<std::vector<size_t>> elementwise_groups(std::span<const NodeSlots> steps,
                                                    std::span<const DType> types);

// Elementwise nodes as one computation.
class NodeChain {
 public:
  // `inputs` are slots computed by other steps, `outputs` are slots that other steps read.
  NodeChain(std::span<const NodeSlots> nodes, std::span<const int32_t> inputs,
            std::span<const int32_t> outputs, std::span<const DType> types);

  // The common shape of the results if the nodes can run together on these inputs. They run one by
  // one if shapes do not fit, or if a tape or observer has to see each of them.
  std::optional<Shape> accepts(std::span<const Tensor> inputs) const;
  // Results may take the memory of inputs to which there is no other handle.
  void run(const Shape& shape, std::span<Tensor> inputs, TensorList& outputs) const;

 private:
  std::vector<const Op*> ops_;
  DType type_;  // of the last operation's result
  cpu::Chain chain_;
};

// Whether the step is elementwise, and its result may take the memory of an input.
bool may_overwrite(const NodeSlots& step, std::span<const DType> types);
// Runs such a node into the memory of an input, if that is large and there is no other handle on
// it. Returns false, with nothing done, otherwise.
bool run_in_place(const Node& node, std::span<const Tensor> inputs, TensorList& outputs);

}  // namespace ef::graph
