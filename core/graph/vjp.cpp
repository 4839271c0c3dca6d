// Nodes that call the gradient function of an operation.
#include "graph/vjp.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "eager/dispatch.h"
#include "eager/profile.h"
#include "eager/record.h"
#include "graph/late_slices.h"
#include "graph/record.h"
#include "graph/taping.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/shapes.h"

namespace ef::graph {
namespace {

constexpr int32_t kNone = -1;

using Known = DifferentiatedOperation::Known;

// Inputs: values and shapes of the operation's inputs and outputs, and gradients of some outputs.
class OperationGradient final : public NodeFunction {
 public:
  OperationGradient(const Op& op, AttrsRef attrs) {
    of_.op = &op;
    of_.attrs = attrs;
  }

  const char* type() const override { return "SymbolicGradient"; }
  bool needs_host() const override { return false; }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    std::vector<Shape> shapes;
    size_t rank_sum = 0;
    for (const auto* list : {&of_.inputs, &of_.outputs}) {
      for (const Known& known : *list) {
        shapes.push_back(shape_of(known, inputs));
        rank_sum += static_cast<size_t>(shapes.back().rank());
      }
    }
    const RecordPtr record(Record::create(of_.inputs.size(), of_.outputs.size(), rank_sum));
    record->op = of_.op;
    record->attrs = of_.late.empty() ? of_.attrs : completed_attrs(of_.attrs, of_.late, inputs);
    uint32_t at = 0;
    const auto fill = [&](Record::Slot& slot, const Known& known, const Shape& shape) {
      slot.dtype = known.dtype;
      slot.rank = static_cast<uint8_t>(shape.rank());
      slot.dims = at;
      for (const int64_t size : shape) record->dims()[at++] = size;
      if (known.value != kNone) slot.value = inputs[static_cast<size_t>(known.value)];
    };
    for (size_t i = 0; i < of_.inputs.size(); ++i) fill(record->input(i), of_.inputs[i], shapes[i]);
    for (size_t j = 0; j < of_.outputs.size(); ++j) {
      fill(record->output(j), of_.outputs[j], shapes[of_.inputs.size() + j]);
    }
    for (const int32_t i : of_.wanted) {
      record->input(static_cast<size_t>(i)).entry = static_cast<uint32_t>(i) + 1;
    }
    TensorList dy;
    for (const int32_t given : of_.dy) {
      dy.push_back(given == kNone ? Tensor() : inputs[static_cast<size_t>(given)]);
    }
    const std::vector<Gradient> gradients = gradients_of_call(*record, dy);
    for (const int32_t i : of_.wanted) {
      const auto k = static_cast<size_t>(i);
      outputs.push_back(gradients[k] ? densify(gradients[k])
                                     : zeros(of_.inputs[k].dtype, shapes[k]));
    }
  }

  [[noreturn]] void fail_to_wait() const {
    fail(Code::kUnimplemented, "the gradient of ", of_.op->tf_name,
         " reads sizes or indices that depend on values");
  }

  // Adds the gradient's operations if shapes are known now. In a program they may become known
  // later, when earlier nodes have run.
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList& outputs) const override {
    if (graph.for_program() && of_.dy[0] != kNone && of_.inputs[0].sizes == kNone &&
        (of_.op == &ops::slice || of_.op == &ops::strided_slice)) {
      const Tensor& dy = inputs[static_cast<size_t>(of_.dy[0])];
      const Tensor gradient = late_slice_gradient(of_, shape_of(of_.inputs[0], inputs), dy, inputs);
      if (gradient) return outputs.push_back(gradient);
    }
    if (is_deferred(inputs)) {
      if (!graph.for_program()) fail_to_wait();
      SpecList specs;
      for (const int32_t i : of_.wanted) {
        const Known& known = of_.inputs[static_cast<size_t>(i)];
        const int32_t same = known.value != kNone ? known.value : known.like;
        const bool here = same != kNone;
        specs.push_back(
            {known.dtype, here ? inputs[static_cast<size_t>(same)].shape() : known.shape});
      }
      const TensorList results = add_function(graph, std::make_shared<OperationGradient>(*this),
                                              inputs, specs, cat(of_.op->name, "_grad"));
      for (const Tensor& result : results) outputs.push_back(result);
      return;
    }
    run(inputs, outputs);
  }

 private:
  friend class OperationBackward;
  friend void graph::require_sizes(const Graph& graph);
  friend const DifferentiatedOperation* graph::differentiated_operation(const Node& node);

  // Whether sizes or attributes are still unknown.
  bool is_deferred(std::span<const Tensor> inputs) const {
    const auto unknown = [&](int32_t input) {
      return input != kNone && !has_value(inputs[static_cast<size_t>(input)]);
    };
    const auto unsized = [&](const auto& tensors, uint16_t reads) {
      for (size_t k = 0; k < tensors.size(); ++k) {
        const Known& known = tensors[k];
        if (unknown(known.sizes)) return true;
        const bool read = reads >> std::min<size_t>(k, 15) & 1;
        const int32_t given = known.value != kNone ? known.value : known.like;
        if (read && given != kNone && !inputs[static_cast<size_t>(given)].shape().fully_known()) {
          return true;
        }
      }
      return false;
    };
    return std::ranges::any_of(of_.late,
                               [&](const LateAttr& late) { return unknown(late.input); }) ||
           unsized(of_.inputs, of_.op->sizes.inputs) || unsized(of_.outputs, of_.op->sizes.outputs);
  }

  static Shape shape_of(const Known& known, std::span<const Tensor> inputs) {
    if (known.value != kNone) return inputs[static_cast<size_t>(known.value)].shape();
    if (known.like != kNone) return inputs[static_cast<size_t>(known.like)].shape();
    if (known.sizes == kNone) return known.shape;
    const Tensor& sizes = inputs[static_cast<size_t>(known.sizes)];
    return Shape(std::span(sizes.data<int64_t>(), static_cast<size_t>(sizes.size())));
  }

  DifferentiatedOperation of_;
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
    const profile::BackwardOf forward(node.source);

    auto function = std::make_shared<OperationGradient>(*node.op, node.attrs);
    function->of_.graph = graph_;
    function->of_.node = id_;
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
      function->of_.wanted.push_back(static_cast<int32_t>(i));
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
      add_sizes(function->of_.inputs.emplace_back(know(input, need.inputs, i)), input);
    }
    for (size_t j = 0; j < dy.size(); ++j) {
      const Tensor& output = node.outputs[j];
      Known& known = function->of_.outputs.emplace_back(know(output, need.outputs, j));
      known.like = dy[j] ? position_of(dy[j]) : kNone;
      function->of_.dy.push_back(known.like);
      add_sizes(known, output);
    }
    for (LateAttr late : node.late) {
      late.input = position_of(graph_->tensor(node.inputs[static_cast<size_t>(late.input)]));
      function->of_.late.push_back(late);
    }
    const std::vector<int32_t> order = function->of_.wanted;
    if (order.empty()) return gradients;
    TensorList results;
    if (current->for_program()) {
      function->retrace(*current, inputs, results);
    } else {
      results = add_function(*current, std::move(function), inputs, specs,
                             current->name_of_gradient(graph_->node(id_).name));
    }
    for (size_t k = 0; k < order.size(); ++k) {
      gradients[static_cast<size_t>(order[k])].values = results[k];
    }
    return gradients;
  }

 private:
  // Adds a node for the size, so that the value itself need not be kept.
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

const DifferentiatedOperation* differentiated_operation(const Node& node) {
  if (!node.function) return nullptr;
  const auto* const gradient = dynamic_cast<const OperationGradient*>(&plain_function(node));
  return gradient ? &gradient->of_ : nullptr;
}

void require_sizes(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (!node.function) continue;
    const auto* const gradient = dynamic_cast<const OperationGradient*>(&plain_function(node));
    if (gradient) gradient->fail_to_wait();
  }
}

std::shared_ptr<BackwardFunction> operation_backward(GraphPtr graph, NodeId id) {
  return std::make_shared<OperationBackward>(std::move(graph), id);
}

}  // namespace ef::graph
