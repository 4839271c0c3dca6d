// Symbolic tensors: tensors with a dtype and a partial shape, but without a value.
//
// A symbolic tensor of a graph represents one output of a node. Operations on it add nodes
// (graph/record.h). A symbolic tensor without a graph is for inference: operations on it return
// symbolic results and do nothing else.
#pragma once

#include <memory>

#include "tensor/ints.h"
#include "tensor/tensor.h"
#include "tensor/tensor_spec.h"

namespace ef {

namespace graph {
class Graph;

using NodeId = int32_t;

// One of a node's outputs.
struct Port {
  NodeId node = -1;
  int32_t output = 0;
  friend bool operator==(const Port&, const Port&) = default;
};
}  // namespace graph

// The inferred spec of a list of tensors (ops/tensor_lists.h), for graphs that become devices'
// programs.
struct ListSpec {
  DType dtype = DType::kInvalid;
  Shape element =
      Shape::unranked();  // of the elements that are set, or as declared before one is set
  int64_t length = kUnknownSize;
  bool is_set = false;  // whether an element has been set

  bool complete() const { return dtype != DType::kInvalid && element.fully_known() && length >= 0; }
  // The spec of the list as one dense tensor.
  TensorSpec dense() const {
    Shape shape = element;
    shape.insert(0, length);
    return {dtype, shape};
  }
  friend bool operator==(const ListSpec&, const ListSpec&) = default;
};

// The data of a symbolic tensor, in place of memory.
class Symbol final : public LazyValue {
 public:
  Symbol(TensorSpec spec, std::weak_ptr<graph::Graph> graph, graph::Port port)
      : spec_(std::move(spec)), graph_(std::move(graph)), port_(port), in_graph_(port.node >= 0) {}

  // Provides the known value to code that reads the tensor's memory; throws a TypeError if the
  // value is unknown.
  void settle(const Settler& settler) override;

  bool in_graph() const { return in_graph_; }
  // Null if the tensor belongs to no graph, or if the graph has been freed.
  std::shared_ptr<graph::Graph> graph() const { return graph_.lock(); }
  graph::Port port() const { return port_; }

  // The value, if it is known from constants and captures; else empty.
  const Tensor& value() const { return value_; }
  // Whether runs can skip computing the value. A value that depends on a capture is computed, so
  // that tapes that watch the captured tensor record it.
  bool foldable() const { return value_ && !from_capture_; }
  bool from_capture() const { return from_capture_; }
  void set_value(Tensor value, bool from_capture = false) {
    value_ = std::move(value);
    from_capture_ = from_capture;
  }
  // The elements of an integer tensor of rank 2 at most, kUnknownInt for unknown ones; empty if
  // none is known.
  const std::unique_ptr<Ints>& numbers() const { return numbers_; }
  void set_numbers(Ints numbers) { numbers_ = std::make_unique<Ints>(std::move(numbers)); }
  // Null if the tensor is not a list, or if nothing is known of it.
  const std::unique_ptr<ListSpec>& list() const { return list_; }
  void set_list(ListSpec list) { list_ = std::make_unique<ListSpec>(std::move(list)); }

 private:
  TensorSpec spec_;
  std::weak_ptr<graph::Graph> graph_;
  graph::Port port_;
  bool in_graph_;
  Tensor value_;
  bool from_capture_ = false;
  std::unique_ptr<Ints> numbers_;
  std::unique_ptr<ListSpec> list_;
};

// A symbolic tensor without a graph.
Tensor symbolic(const TensorSpec& spec);

// The symbolic data of a tensor; null if the tensor is not symbolic.
Symbol* symbol_of(const Tensor& tensor);
// The value of a tensor, as far as it is known while a graph is built; else an empty tensor.
Tensor value_of(const Tensor& tensor);
inline bool is_symbolic(const Tensor& tensor) {
  return tensor.impl()->lazy() && symbol_of(tensor) != nullptr;
}
// Whether the value can be read.
bool has_value(const Tensor& tensor);

}  // namespace ef
