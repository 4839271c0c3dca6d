// Activations in a plan whose results only a max pooling reads, and the gradients of both.
#include "patterns/pooled_activations.h"

#include "graph/attention.h"
#include "graph/plan.h"
#include "graph/symbolic.h"
#include "ops/pooling.h"

namespace ef::graph {
namespace {

// Steps: the pooling, its gradient, and the activation's gradient, which is the only reader of
// that.
struct PooledActivation {
  size_t pooling;
  size_t pooling_gradient;
  size_t slope;
};

std::vector<PooledActivation> pooled_activations(std::span<const NodeSlots> steps,
                                                 const SlotFacts& facts,
                                                 std::span<const DType> types) {
  std::vector<PooledActivation> found;
  std::vector<int32_t> pooling(facts.readers.size(), -1);  // the pooling step that reads a slot
  std::vector<int32_t> gradient(facts.readers.size(),
                                -1);  // the pooling gradient that computes a slot
  for (size_t i = 0; i < steps.size(); ++i) {
    const NodeSlots& step = steps[i];
    const Node& node = *step.node;
    if (node.op == &ops::max_pool && node.late.empty()) {
      pooling[static_cast<size_t>(step.inputs[0])] = static_cast<int32_t>(i);
    } else if (node.op == &ops::max_pool_grad && node.late.empty()) {
      gradient[static_cast<size_t>(step.first_output)] = static_cast<int32_t>(i);
    }
    if (!patterns::is_gradient_with_flat_parts(node.op)) continue;
    const auto spread = static_cast<size_t>(step.inputs[0]);
    const auto x = static_cast<size_t>(step.inputs[1]);
    if (gradient[spread] < 0 || pooling[x] < 0 || facts.readers[spread] != 1) continue;
    constexpr int32_t kReaders = 3;  // these steps read the activation
    if (facts.readers[x] != kReaders || !facts.computed[x]) continue;
    const NodeSlots& forward = steps[static_cast<size_t>(pooling[x])];
    const NodeSlots& backward = steps[static_cast<size_t>(gradient[spread])];
    const AttrsRef attrs = forward.node->attrs;
    const bool fits = backward.inputs[0] == step.inputs[1] &&
                      backward.inputs[1] == forward.first_output &&
                      AttrsRef(backward.node->attrs) == attrs &&
                      patterns::saves_image(types[x], *facts.shapes[x], attrs);
    if (!fits) continue;
    found.push_back({static_cast<size_t>(pooling[x]), static_cast<size_t>(gradient[spread]), i});
  }
  return found;
}

}  // namespace

// Makes gradients of pooled activations read the results of the pooling and the winners' indices,
// so that the activations need not be stored.
void Plan::pool_first(std::vector<DType>& types) {
  const std::vector<PooledActivation> all = pooled_activations(views(), slot_facts(), types);
  if (all.empty()) return;
  const auto own = [&](const Step& like, const Op& op, AttrsRef attrs, size_t operands,
                       const TensorSpec& spec) {
    auto node = std::make_unique<Node>();
    node->op = &op;
    node->attrs = attrs;
    node->num_op_inputs = static_cast<int32_t>(operands);
    node->outputs.push_back(symbolic(spec));
    node->name = like.node->name;
    node->source = like.node->source;
    own_nodes_.push_back(std::move(node));
    return own_nodes_.back().get();
  };
  std::vector<std::vector<Step>> after(steps_.size());
  for (const PooledActivation& found : all) {
    Step& pooling = steps_[found.pooling];
    Step& slope = steps_[found.pooling_gradient];
    Step& spread = steps_[found.slope];
    const Tensor& y = pooling.node->outputs[0];
    const Shape& image = *spread.inputs[1].shape;
    const Op& slope_op = *spread.node->op;
    const SavedAttrs& slope_attrs = spread.node->attrs;
    const auto& pool = AttrsRef(pooling.node->attrs).as<ops::PoolAttrs>();
    const auto new_slot = [&](DType dtype) {
      types.push_back(dtype);
      return num_slots_++;
    };
    const Input result = slope.inputs[1];

    Step winners{.node = own(pooling, ops::max_pool_winners, pooling.node->attrs, 2,
                             {DType::kUint8, y.shape()}),
                 .first_slot = new_slot(DType::kUint8)};
    winners.specs.push_back({DType::kUint8, y.shape()});
    winners.inputs = {slope.inputs[0], result};
    const Input numbers{.slot = winners.first_slot, .from_outside = false, .shape = &y.shape()};
    after[found.pooling].push_back(std::move(winners));

    const TensorSpec pooled{y.dtype(), y.shape()};
    slope.node = own(slope, slope_op, slope_attrs, 2, pooled);
    slope.first_slot = new_slot(y.dtype());
    slope.inputs = {slope.inputs[2], result};
    slope.specs = {pooled};
    slope.direct = spread.direct = false;

    const Input gradient{.slot = slope.first_slot, .from_outside = false, .shape = &y.shape()};
    spread.node = own(spread, ops::spread_to_winners, ops::SpreadAttrs{image[1], image[2], pool}, 2,
                      {y.dtype(), image});
    spread.inputs = {gradient, numbers};
  }
  std::vector<Step> steps;
  for (size_t i = 0; i < steps_.size(); ++i) {
    steps.push_back(std::move(steps_[i]));
    for (Step& step : after[i]) steps.push_back(std::move(step));
  }
  steps_ = std::move(steps);
}

}  // namespace ef::graph
