// Recognises and runs sums with gradients of slices.
#include "graph/part_sums.h"

#include "eager/interruptible_region.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/part_sums.h"
#include "ops/elementwise.h"

namespace ef::graph {

std::vector<PartSum> part_sums(std::span<const NodeSlots> steps, const SlotFacts& facts) {
  const auto read_once = [&](int32_t slot) {
    return facts.readers[static_cast<size_t>(slot)] == 1;
  };
  std::vector<int32_t> giver(facts.readers.size(), -1);  // the step that computes a slot
  std::vector<PartSum> found;
  for (size_t i = 0; i < steps.size(); ++i) {
    const NodeSlots& step = steps[i];
    const Node& node = *step.node;
    if (gives_part(node.op) && node.late.empty())
      giver[static_cast<size_t>(step.first_output)] = static_cast<int32_t>(i);
    if (node.op != &ops::add) continue;
    // The second operand is usually the later one, so it is tried first.
    for (const size_t k : {size_t{1}, size_t{0}}) {
      const int32_t slot = step.inputs[k], whole = step.inputs[1 - k];
      const int32_t gives = giver[static_cast<size_t>(slot)];
      if (gives < 0 || whole == slot || !read_once(slot) || !read_once(whole)) continue;
      if (!facts.computed[static_cast<size_t>(whole)]) continue;
      found.push_back({static_cast<size_t>(gives), i, whole});
      break;
    }
  }
  return found;
}

bool add_part(const Node& part, std::span<const Tensor> inputs, const Tensor& whole) {
  if (!whole.exclusively_owned() || !observers.empty() || !fuses()) return false;
  SpecList specs;
  try {
    specs = infer(*part.op, inputs, part.attrs);
  } catch (const Error&) {
    return false;  // the operation itself raises the error
  }
  if (specs[0].dtype != whole.dtype() || specs[0].shape != whole.shape()) return false;
  const KernelRegion region(static_cast<double>(inputs[0].bytes()) / 4);
  if (part.op == &ops::strided_slice_grad) {
    return ef::add_part(whole, part.attrs.as<ops::StridedSliceGradAttrs>().slice, inputs[0]);
  }
  if (part.op == &ops::gather_grad) {
    return ef::add_part(whole, part.attrs.as<ops::GatherGradAttrs>().gather, inputs[0], inputs[1]);
  }
  return ef::add_part(whole, part.attrs.as<ops::GatherNdGradAttrs>().gather, inputs[0], inputs[1]);
}

}  // namespace ef::graph
