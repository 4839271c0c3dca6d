// Finding activations that only a max pooling reads.
#include "graph/pooled_activations.h"

#include "ops/elementwise.h"
#include "ops/pooling.h"

namespace ef::graph {
namespace {

// From this size on, memory is worth the time to find the winners.
constexpr int64_t kLargeElements = 262'144;
// Of fewer, finding the window of each pixel takes long.
constexpr int64_t kManyChannels = 16;

// What is known of the size counts: batches may be of any size.
bool may_be_large(const Shape& image) {
  if (!image.ranked() || image.rank() != 4) return false;
  if (image[1] < 0 || image[2] < 0 || image[3] < 0) return false;
  return image[3] >= kManyChannels &&
         (!image.fully_known() || image.num_elements() >= kLargeElements);
}

}  // namespace

std::vector<PooledActivation> pooled_activations(std::span<const NodeSlots> steps,
                                                 const SlotFacts& facts,
                                                 std::span<const DType> types) {
  std::vector<PooledActivation> found;
  std::vector<int32_t> pooling(facts.readers.size(), -1);   // steps, by what they read
  std::vector<int32_t> gradient(facts.readers.size(), -1);  // and by what they give
  for (size_t i = 0; i < steps.size(); ++i) {
    const NodeSlots& step = steps[i];
    const Node& node = *step.node;
    if (node.op == &ops::max_pool && node.late.empty()) {
      pooling[static_cast<size_t>(step.inputs[0])] = static_cast<int32_t>(i);
    } else if (node.op == &ops::max_pool_grad && node.late.empty()) {
      gradient[static_cast<size_t>(step.first_output)] = static_cast<int32_t>(i);
    }
    if (node.op != &ops::relu_grad && node.op != &ops::relu6_grad) continue;
    const auto spread = static_cast<size_t>(step.inputs[0]);
    const auto x = static_cast<size_t>(step.inputs[1]);
    if (gradient[spread] < 0 || pooling[x] < 0 || facts.readers[spread] != 1) continue;
    constexpr int32_t kReaders = 3;  // these steps
    if (facts.readers[x] != kReaders || !facts.computed[x]) continue;
    if (types[x] != DType::kFloat32 && types[x] != DType::kFloat64) continue;
    if (!facts.shapes[x] || !may_be_large(*facts.shapes[x])) continue;
    const NodeSlots& forward = steps[static_cast<size_t>(pooling[x])];
    const NodeSlots& backward = steps[static_cast<size_t>(gradient[spread])];
    const AttrsRef attrs = forward.node->attrs;
    const bool fits = backward.inputs[0] == step.inputs[1] &&
                      backward.inputs[1] == forward.first_output &&
                      AttrsRef(backward.node->attrs) == attrs &&
                      ops::has_small_separate_windows(attrs.as<ops::PoolAttrs>());
    if (!fits) continue;
    found.push_back({static_cast<size_t>(pooling[x]), static_cast<size_t>(gradient[spread]), i});
  }
  return found;
}

}  // namespace ef::graph
