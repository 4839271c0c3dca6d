// Symbolic tensors: the dtype is known, and what is known of the shape; the value is not.
//
// Those of a graph stand for one output of a node. Operations on them add nodes (graph/record.h).
// Those of no graph serve inference: their results are symbolic, and nothing else happens.
#pragma once

#include <memory>

#include "ops/op.h"

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

// What is known of a list of tensors (ops/tensor_lists.h) while a graph is traced for a program.
struct ListSpec {
  DType dtype = DType::kInvalid;
  Shape element = Shape::unranked();  // of those that are set; before, as declared
  int64_t length = kUnknownSize;
  bool is_set = false;  // whether an element has been set

  bool complete() const { return dtype != DType::kInvalid && element.fully_known() && length >= 0; }
  // As one tensor.
  TensorSpec dense() const {
    Shape shape = element;
    shape.insert(0, length);
    return {dtype, shape};
  }
  friend bool operator==(const ListSpec&, const ListSpec&) = default;
};

// What a symbolic tensor has in place of memory.
class Symbol final : public LazyValue {
 public:
  Symbol(TensorSpec spec, std::weak_ptr<graph::Graph> graph, graph::Port port)
      : spec_(std::move(spec)), graph_(std::move(graph)), port_(port), in_graph_(port.node >= 0) {}

  // Gives access to the known value, for code that reads the tensor's memory; else a TypeError.
  void settle(const Settler& settler) override;

  bool in_graph() const { return in_graph_; }
  // Null if the tensor belongs to none, or if the graph is gone.
  std::shared_ptr<graph::Graph> graph() const { return graph_.lock(); }
  graph::Port port() const { return port_; }

  // The value, where it follows from constants and captures; else empty.
  const Tensor& value() const { return value_; }
  // Whether a run need not compute the value. What follows from a capture is computed, so that
  // tapes that watch the captured tensor record it.
  bool foldable() const { return value_ && !from_capture_; }
  bool from_capture() const { return from_capture_; }
  void set_value(Tensor value, bool from_capture = false) {
    value_ = std::move(value);
    from_capture_ = from_capture;
  }
  // The numbers of integers of rank 2 at most, as far as they are known, else kUnknownInt; empty
  // where nothing is.
  const std::unique_ptr<Ints>& numbers() const { return numbers_; }
  void set_numbers(Ints numbers) { numbers_ = std::make_unique<Ints>(std::move(numbers)); }
  // Null if the tensor is no list, or nothing is known of it.
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

// A symbolic tensor of no graph.
Tensor symbolic(const TensorSpec& spec);

// What makes a tensor symbolic; null if it is not.
Symbol* symbol_of(const Tensor& tensor);
inline bool is_symbolic(const Tensor& tensor) {
  return tensor.impl()->lazy() && symbol_of(tensor) != nullptr;
}
// Whether the value can be read.
bool has_value(const Tensor& tensor);

}  // namespace ef
