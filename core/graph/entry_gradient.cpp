// Calls gradients of the op table with symbolic integers for unknown sizes.
#include "graph/entry_gradient.h"

#include <algorithm>
#include <utility>

#include "graph/symbolic_ints.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

class SymbolicContext final : public GradContext {
 public:
  SymbolicContext(const Node& node, std::span<const char> wanted, std::span<const Tensor> dy,
                  std::span<const Tensor> x, std::span<const Tensor> y)
      : attrs_(ints_.attrs_of(node, x)),
        wanted_(wanted),
        dy_(dy),
        x_(x.first(static_cast<size_t>(node.num_op_inputs))),
        y_(y),
        gradients_(x_.size()) {
    for (const Tensor& tensor : x_) input_shapes_.push_back(ints_.shape_of(tensor));
    for (const Tensor& tensor : y_) output_shapes_.push_back(ints_.shape_of(tensor));
  }

  const Tensor& input(int i) const override { return x_[static_cast<size_t>(i)]; }
  const Tensor& output(int j) const override { return y_[static_cast<size_t>(j)]; }
  const Shape& input_shape(int i) const override { return input_shapes_[static_cast<size_t>(i)]; }
  DType input_dtype(int i) const override { return input(i).dtype(); }
  const Shape& output_shape(int j) const override { return output_shapes_[static_cast<size_t>(j)]; }
  int num_inputs() const override { return static_cast<int>(x_.size()); }
  int num_outputs() const override { return static_cast<int>(y_.size()); }
  AttrsRef attrs() const override { return attrs_; }
  Tensor dy(int j) const override { return dy_[static_cast<size_t>(j)]; }
  Tensor take_dy(int j) const override { return dy(j); }
  bool has_dy(int /*j*/) const override { return true; }
  bool wants(int i) const override { return wanted_[static_cast<size_t>(i)] != 0; }
  void set(int i, Tensor gradient) override {
    const bool unsummed = ints_.take_deferred_sum();
    if (wants(i)) gradients_[static_cast<size_t>(i)] = {std::move(gradient), unsummed};
  }
  void set_sparse(int i, Tensor values, Tensor indices, const Shape& dense_shape) override {
    set(i, call(ops::unsorted_segment_sum, {values, indices},
                ops::UnsortedSegmentAttrs{.num_segments = dense_shape[0]}));
  }
  void set_slice(int i, Tensor values, AttrsRef slice) override {
    set(i, call(ops::strided_slice_grad, {values},
                ops::StridedSliceGradAttrs{.shape = input_shape(i),
                                           .slice = slice.as<ops::StridedSliceAttrs>()}));
  }
  void set_gathered(int i, Tensor values, const Tensor& indices, AttrsRef gather) override {
    ops::with_gradient_of_gather(gather, [&]<class GradAttrs>(const Op& op, const auto& attrs) {
      set(i, call(op, {values, indices}, GradAttrs{.shape = input_shape(i), .gather = attrs}));
    });
  }
  void set_product(int i, const Tensor& a, const Tensor& b) override {
    set(i, ops::adjoint_product(a, b));
  }

  std::vector<EntryGradient> take() { return std::move(gradients_); }

 private:
  SymbolicInts ints_;
  const SavedAttrs attrs_;
  const std::span<const char> wanted_;
  const std::span<const Tensor> dy_, x_, y_;
  std::vector<Shape> input_shapes_, output_shapes_;
  std::vector<EntryGradient> gradients_;
};

}  // namespace

bool has_entry_gradient(const Node& node) {
  const Op* const op = node.op;
  return op && op->gradient && op->may_be_unknown != Unknown::kNone;
}

std::vector<EntryGradient> entry_gradient(const Node& node, std::span<const char> wanted,
                                          std::span<const Tensor> dy, std::span<const Tensor> x,
                                          std::span<const Tensor> y) {
  if (!has_entry_gradient(node)) {
    fail(Code::kUnimplemented, "The gradient of ", node.type(), " needs known sizes.");
  }
  const auto unranked = [](const Tensor& tensor) { return !tensor.shape().ranked(); };
  if (node.op->may_be_unknown == Unknown::kSizes &&
      (std::ranges::any_of(x, unranked) || std::ranges::any_of(y, unranked))) {
    fail(Code::kUnimplemented, "The gradient of ", node.type(), " needs known ranks.");
  }
  SymbolicContext context(node, wanted, dy, x, y);
  node.op->gradient(context);
  return context.take();
}

}  // namespace ef::graph
