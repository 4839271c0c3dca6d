// Operands that repeat a smaller tensor are read where that is, as elementwise operations broadcast
// by themselves: gradients of sums, and zeros to choose from, need no memory.
#include <algorithm>
#include <optional>

#include "graph/chains.h"
#include "graph/plan.h"
#include "kernels/cpu/fill.h"
#include "ops/array.h"
#include "ops/creation.h"
#include "ops/op.h"

namespace ef::graph {

namespace {

bool is_repeating(const Op& op) {
  return &op == &ops::broadcast_to || &op == &ops::fill || &op == &ops::zeros_like ||
         &op == &ops::ones_like || &op == &ops::zeros || &op == &ops::ones;
}

}  // namespace

// What a step repeats; none if it cannot be read. Zeros and ones become a constant.
std::optional<Plan::Input> Plan::repeated_by(const Step& step, std::vector<DType>& types) {
  const Op* const op = step.node->op;
  if (!step.node->late.empty()) return std::nullopt;
  if (op == &ops::broadcast_to || op == &ops::fill) return step.inputs[0];
  const bool ones = op == &ops::ones_like || op == &ops::ones;
  const DType dtype = step.specs[0].dtype;
  if (owns_memory(dtype)) return std::nullopt;
  static const Shape scalar;
  const Tensor value = Tensor::empty(dtype, scalar);
  cpu::fill_constant(value, ones ? 1 : 0);
  constants_.emplace_back(num_slots_, value);
  types.push_back(dtype);
  return Input{.slot = num_slots_++, .shape = &scalar};
}

void Plan::read_repeated(std::vector<DType>& types) {
  std::vector<int32_t> giver(static_cast<size_t>(num_slots_), -1);
  std::vector<std::optional<Input>> sources(steps_.size());  // of steps that others passed over
  std::vector<char> passed(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    if (step.specs.size() == 1)
      giver[static_cast<size_t>(step.first_slot)] = static_cast<int32_t>(i);
    const ElementLoop loop = element_loop(slots_of(step), types);
    if (!loop || loop.forwards || !step.specs[0].shape.fully_known()) continue;
    const Shape& shape = step.specs[0].shape;
    const auto repeats = [&](const Input& input) {
      const auto slot = static_cast<size_t>(input.slot);
      const int32_t from = slot < giver.size() ? giver[slot] : -1;
      if (from < 0) return -1;
      const Op* const op = steps_[static_cast<size_t>(from)].node->op;
      return op && is_repeating(*op) ? from : -1;
    };
    // An operand of the result's shape has to stay.
    const bool whole = std::ranges::any_of(
        step.inputs, [&](const Input& in) { return *in.shape == shape && repeats(in) < 0; });
    for (size_t k = 0; whole && k < step.inputs.size(); ++k) {
      Input& input = step.inputs[k];
      const int32_t from = repeats(input);
      if (from < 0 || *input.shape != shape || !(loop.expands & loop.repeats & 1u << k)) continue;
      std::optional<Input>& source = sources[static_cast<size_t>(from)];
      if (!source) source = repeated_by(steps_[static_cast<size_t>(from)], types);
      if (!source || !source->shape->fully_known()) continue;
      passed[static_cast<size_t>(from)] = 1;
      input = *source;
    }
  }
  const std::vector<int32_t> readers = slot_facts().readers;
  for (size_t i = 0; i < steps_.size(); ++i) {
    passed[i] = passed[i] && readers[static_cast<size_t>(steps_[i].first_slot)] == 0;
  }
  drop(passed);
}

}  // namespace ef::graph
