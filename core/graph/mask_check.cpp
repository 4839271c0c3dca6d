// Masks whose sizes are checked when they run.
#include "graph/mask_check.h"

#include <memory>

#include "graph/record.h"
#include "graph/symbolic.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

class MaskCheck final : public NodeFunction {
 public:
  explicit MaskCheck(int64_t axis) : axis_(axis) {}

  const char* type() const override { return "CheckedMask"; }
  bool needs_host() const override { return false; }
  bool connects(size_t) const override { return false; }
  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    const Tensor& mask = inputs[0];
    const auto* const first = inputs[1].data<int64_t>();
    Shape sizes;
    for (int64_t i = 0; i < inputs[1].size(); ++i) sizes.push_back(first[i]);
    if (mask.shape() != sizes) {
      invalid_argument("A mask of shape ", mask.shape(), " indexes the axes of sizes ", sizes,
                       " from axis ", axis_,
                       ", but it needs the same sizes. Make it from the tensor, as in x[x > 0], or "
                       "pass one boolean for each element. [Op:CheckedMask]");
    }
    outputs.push_back(mask);
  }
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList& outputs) const override {
    if (inputs[0].shape().fully_known() && has_value(inputs[1])) return run(inputs, outputs);
    outputs.push_back(add_mask_check(graph, inputs[0], inputs[1], axis_));
  }

 private:
  int64_t axis_;
};

}  // namespace

Tensor add_mask_check(Graph& graph, const Tensor& mask, const Tensor& sizes, int64_t axis) {
  SpecList specs;
  specs.push_back({mask.dtype(), mask.shape()});
  const Tensor inputs[] = {mask, sizes};
  return add_function(graph, std::make_shared<MaskCheck>(axis), inputs, specs, "CheckedMask")[0];
}

}  // namespace ef::graph
