// Calls gradients of the op table without knowing sizes.
#include "graph/entry_gradient.h"

#include <utility>

#include "ops/elementwise_infer.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

// Every tensor has the same shape, of unknown rank.
class ElementwiseContext final : public GradContext {
 public:
  ElementwiseContext(const Op& op, AttrsRef attrs, std::span<const char> wanted,
                     std::span<const Tensor> dy, std::span<const Tensor> x,
                     std::span<const Tensor> y)
      : op_(op), attrs_(attrs), wanted_(wanted), dy_(dy), x_(x), y_(y), gradients_(x.size()) {}

  const Tensor& input(int i) const override { return x_[static_cast<size_t>(i)]; }
  const Tensor& output(int j) const override { return y_[static_cast<size_t>(j)]; }
  const Shape& input_shape(int /*i*/) const override { return shape_; }
  DType input_dtype(int i) const override { return input(i).dtype(); }
  const Shape& output_shape(int /*j*/) const override { return shape_; }
  int num_inputs() const override { return static_cast<int>(x_.size()); }
  int num_outputs() const override { return static_cast<int>(y_.size()); }
  AttrsRef attrs() const override { return attrs_; }
  Tensor dy(int j) const override { return dy_[static_cast<size_t>(j)]; }
  Tensor take_dy(int j) const override { return dy(j); }
  bool has_dy(int /*j*/) const override { return true; }
  bool wants(int i) const override { return wanted_[static_cast<size_t>(i)] != 0; }
  void set(int i, Tensor gradient) override {
    if (wants(i)) gradients_[static_cast<size_t>(i)] = std::move(gradient);
  }
  void set_sparse(int /*i*/, Tensor /*values*/, Tensor /*indices*/,
                  const Shape& /*dense_shape*/) override {
    refuse();
  }
  void set_slice(int /*i*/, Tensor /*values*/, const ops::StridedSliceAttrs& /*slice*/) override {
    refuse();
  }
  void set_gathered(int /*i*/, Tensor /*values*/, const Tensor& /*indices*/,
                    const ops::GatherAttrs& /*gather*/) override {
    refuse();
  }
  void set_gathered(int /*i*/, Tensor /*values*/, const Tensor& /*indices*/,
                    const ops::GatherNdAttrs& /*gather*/) override {
    refuse();
  }

  const std::vector<Tensor>& gradients() const { return gradients_; }

 private:
  [[noreturn]] void refuse() const {
    fail(Code::kInternal, "The gradient of ", op_.tf_name, " is of parts of its input.");
  }

  const Op& op_;
  const AttrsRef attrs_;
  const std::span<const char> wanted_;
  const std::span<const Tensor> dy_, x_, y_;
  const Shape shape_ = Shape::unranked();
  std::vector<Tensor> gradients_;
};

}  // namespace

bool has_elementwise_gradient(const Op& op) {
  return op.gradient && (op.elementwise || op.infer == ops::same_shape_infer);
}

TensorList gradient_of_elementwise(const Op& op, AttrsRef attrs, std::span<const char> wanted,
                                   std::span<const Tensor> dy, std::span<const Tensor> x,
                                   std::span<const Tensor> y) {
  if (!has_elementwise_gradient(op)) {
    fail(Code::kUnimplemented, op.tf_name, " is not an elementwise operation with a gradient.");
  }
  ElementwiseContext context(op, attrs, wanted, dy, x, y);
  op.gradient(context);
  TensorList gradients;
  for (const Tensor& gradient : context.gradients()) gradients.push_back(gradient);
  return gradients;
}

}  // namespace ef::graph
