// Nodes that call the gradient function of an operation.
#include "graph/vjp.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "eager/dispatch.h"
#include "eager/record.h"
#include "graph/record.h"
#include "ops/compose.h"
#include "ops/shapes.h"

namespace ef::graph {
namespace {

constexpr int32_t kNone = -1;

// How the node knows an input or output of the operation.
struct Known {
  DType dtype = DType::kInvalid;
  Shape shape;            // where that is known while tracing
  int32_t value = kNone;  // which input of the node is its value,
  int32_t like = kNone;   // or has its shape,
  int32_t sizes = kNone;  // or is its shape
};

// Inputs: values and shapes of what the operation had and gave, and gradients of some outputs.
class OperationGradient final : public NodeFunction {
 public:
  OperationGradient(const Op& op, AttrsRef attrs) : op_(op), attrs_(attrs) {}

  const char* type() const override { return "SymbolicGradient"; }
  bool needs_host() const override { return false; }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    std::vector<Shape> shapes;
    size_t rank_sum = 0;
    for (const auto* list : {&inputs_, &outputs_}) {
      for (const Known& known : *list) {
        shapes.push_back(shape_of(known, inputs));
        rank_sum += static_cast<size_t>(shapes.back().rank());
      }
    }
    const RecordPtr record(Record::create(inputs_.size(), outputs_.size(), rank_sum));
    record->op = &op_;
    record->attrs = late_.empty() ? attrs_ : completed_attrs(attrs_, late_, inputs);
    uint32_t at = 0;
    const auto fill = [&](Record::Slot& slot, const Known& known, const Shape& shape) {
      slot.dtype = known.dtype;
      slot.rank = static_cast<uint8_t>(shape.rank());
      slot.dims = at;
      for (const int64_t size : shape) record->dims()[at++] = size;
      if (known.value != kNone) slot.value = inputs[static_cast<size_t>(known.value)];
    };
    for (size_t i = 0; i < inputs_.size(); ++i) fill(record->input(i), inputs_[i], shapes[i]);
    for (size_t j = 0; j < outputs_.size(); ++j) {
      fill(record->output(j), outputs_[j], shapes[inputs_.size() + j]);
    }
    for (const int32_t i : wanted_) {
      record->input(static_cast<size_t>(i)).entry = static_cast<uint32_t>(i) + 1;
    }
    TensorList dy;
    for (const int32_t given : dy_) {
      dy.push_back(given == kNone ? Tensor() : inputs[static_cast<size_t>(given)]);
    }
    const std::vector<Gradient> gradients = gradients_of_call(*record, dy);
    for (const int32_t i : wanted_) {
      const auto k = static_cast<size_t>(i);
      outputs.push_back(gradients[k] ? densify(gradients[k]) : zeros(inputs_[k].dtype, shapes[k]));
    }
  }

 private:
  friend class OperationBackward;

  static Shape shape_of(const Known& known, std::span<const Tensor> inputs) {
    if (known.value != kNone) return inputs[static_cast<size_t>(known.value)].shape();
    if (known.like != kNone) return inputs[static_cast<size_t>(known.like)].shape();
    if (known.sizes == kNone) return known.shape;
    const Tensor& sizes = inputs[static_cast<size_t>(known.sizes)];
    return Shape(std::span(sizes.data<int64_t>(), static_cast<size_t>(sizes.size())));
  }

  const Op& op_;
  SavedAttrs attrs_;
  std::vector<LateAttr> late_;
  std::vector<Known> inputs_, outputs_;
  std::vector<int32_t> wanted_;  // inputs of the operation
  std::vector<int32_t> dy_;      // for each output the node's input that is its gradient
};

class OperationBackward final : public BackwardFunction {
 public:
  OperationBackward(GraphPtr graph, NodeId id) : graph_(std::move(graph)), id_(id) {}

  bool takes_missing() const override { return true; }

  std::vector<Gradient> run(std::span<const Tensor> dy, std::span<const char> wanted) override {
    const Node& node = graph_->node(id_);
    const auto num_inputs = static_cast<size_t>(node.num_op_inputs);
    std::vector<Gradient> gradients(num_inputs);
    Graph* const current = building();
    if (!current) return gradients;

    auto function = std::make_shared<OperationGradient>(*node.op, node.attrs);
    TensorList inputs;
    const auto position_of = [&](const Tensor& tensor) {
      const auto found = std::ranges::find(inputs, tensor.impl(), &Tensor::impl);
      const auto position = static_cast<int32_t>(found - inputs.begin());
      if (found == inputs.end()) inputs.push_back(tensor);
      return position;
    };
    Need need;
    SpecList specs;
    for (size_t i = 0; i < num_inputs; ++i) {
      if (!wanted[i]) continue;
      const Tensor& input = graph_->tensor(node.inputs[i]);
      function->wanted_.push_back(static_cast<int32_t>(i));
      specs.push_back({input.dtype(), input.shape()});
      need.inputs |= node.op->need(i).inputs;
      need.outputs |= node.op->need(i).outputs;
    }
    const auto know = [&](const Tensor& tensor, uint16_t needed, size_t i) {
      Known known{.dtype = tensor.dtype(), .shape = tensor.shape()};
      if (needed >> std::min<size_t>(i, 15) & 1) known.value = position_of(tensor);
      return known;
    };
    const auto add_sizes = [&](Known& known, const Tensor& tensor) {
      if (known.value == kNone && known.like == kNone && !known.shape.fully_known()) {
        known.sizes = position_of(sizes_of(tensor));
      }
    };
    for (size_t i = 0; i < num_inputs; ++i) {
      const Tensor& input = graph_->tensor(node.inputs[i]);
      add_sizes(function->inputs_.emplace_back(know(input, need.inputs, i)), input);
    }
    for (size_t j = 0; j < dy.size(); ++j) {
      const Tensor& output = node.outputs[j];
      Known& known = function->outputs_.emplace_back(know(output, need.outputs, j));
      known.like = dy[j] ? position_of(dy[j]) : kNone;
      function->dy_.push_back(known.like);
      add_sizes(known, output);
    }
    for (LateAttr late : node.late) {
      late.input = position_of(graph_->tensor(node.inputs[static_cast<size_t>(late.input)]));
      function->late_.push_back(late);
    }
    const std::vector<int32_t> order = function->wanted_;
    if (order.empty()) return gradients;
    const TensorList results = add_function(*current, std::move(function), inputs, specs, name());
    for (size_t k = 0; k < order.size(); ++k) {
      gradients[static_cast<size_t>(order[k])].values = results[k];
    }
    return gradients;
  }

 private:
  std::string name() const { return cat("gradient_tape/", graph_->node(id_).name, "_grad"); }

  // A node beside the operation's, so that the value itself need not be kept.
  Tensor sizes_of(const Tensor& tensor) {
    TensorList sizes;
    add_call(*graph_, ops::shape, {&tensor, 1}, ops::ShapeAttrs{.out_type = DType::kInt64}, {}, {},
             sizes);
    return sizes[0];
  }

  GraphPtr graph_;
  NodeId id_;
};

}  // namespace

std::shared_ptr<BackwardFunction> operation_backward(GraphPtr graph, NodeId id) {
  return std::make_shared<OperationBackward>(std::move(graph), id);
}

}  // namespace ef::graph
