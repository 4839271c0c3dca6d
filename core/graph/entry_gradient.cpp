// Calls gradients of the op table with symbolic integers for unknown sizes.
#include "graph/entry_gradient.h"

#include <algorithm>
#include <utility>

#include "graph/symbolic_ints.h"
#include "ops/array.h"
#include "ops/bias.h"
#include "ops/convolution.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/elementwise_infer.h"
#include "ops/images.h"
#include "ops/indexing.h"
#include "ops/losses.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "ops/partition.h"
#include "ops/pooling.h"
#include "ops/reduction.h"
#include "ops/segments.h"
#include "ops/shapes.h"
#include "ops/softmax.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

// Operations whose gradients pass sizes and attributes on, or do not read them, in addition to the
// elementwise ones.
const Op* const kPassOn[] = {
    &ops::add_n,
    &ops::avg_pool,
    &ops::avg_pool_grad,
    &ops::betainc,
    &ops::bias_add,
    &ops::broadcast_to,
    &ops::conv2d,
    &ops::conv2d_backprop_filter,
    &ops::conv2d_backprop_input,
    &ops::crop_and_resize,
    &ops::cumsum,
    &ops::depthwise_conv2d,
    &ops::depthwise_conv2d_backprop_filter,
    &ops::depthwise_conv2d_backprop_input,
    &ops::diag,
    &ops::ensure_shape,
    &ops::expand_dims,
    &ops::fill,
    &ops::gather_or_zero,
    &ops::l2_loss,
    &ops::log_softmax,
    &ops::matmul,
    &ops::matrix_band_part,
    &ops::max_pool,
    &ops::max_pool_grad,
    &ops::mirror_pad_grad,
    &ops::reshape,
    &ops::reverse,
    &ops::reverse_sequence,
    &ops::scatter_nd,
    &ops::softmax,
    &ops::softmax_cross_entropy,
    &ops::sparse_softmax_cross_entropy,
    &ops::split,
    &ops::squeeze,
    &ops::strided_slice,
    &ops::strided_slice_grad,
    &ops::tensor_scatter_nd_add,
    &ops::tensor_scatter_nd_sub,
    &ops::unstack,
};

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
    const Shape& shape = input_shape(i);
    if (gather.is<ops::GatherAttrs>()) {
      const auto& attrs = gather.as<ops::GatherAttrs>();
      set(i, call(ops::gather_grad, {values, indices},
                  ops::GatherGradAttrs{.shape = shape, .gather = attrs}));
    } else {
      const auto& attrs = gather.as<ops::GatherNdAttrs>();
      set(i, call(ops::gather_nd_grad, {values, indices},
                  ops::GatherNdGradAttrs{.shape = shape, .gather = attrs}));
    }
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
  return op && op->gradient &&
         (op->elementwise || op->infer == ops::same_shape_infer ||
          std::ranges::find(kPassOn, op) != std::end(kPassOn));
}

std::vector<EntryGradient> entry_gradient(const Node& node, std::span<const char> wanted,
                                          std::span<const Tensor> dy, std::span<const Tensor> x,
                                          std::span<const Tensor> y) {
  if (!has_entry_gradient(node)) {
    fail(Code::kUnimplemented, "The gradient of ", node.type(), " needs known sizes.");
  }
  SymbolicContext context(node, wanted, dy, x, y);
  node.op->gradient(context);
  return context.take();
}

}  // namespace ef::graph
