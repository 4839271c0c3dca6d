// Nodes that run a graph for many rows at once.
#include "graph/rows.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "eager/batched.h"
#include "graph/record.h"
#include "graph/specialize.h"
#include "graph/taping.h"
#include "ops/array.h"
#include "ops/compose.h"
#include "ops/indexing.h"
#include "ops/partition.h"

namespace ef::graph {
namespace {

// The size limit of all rows of one tensor. Beyond it, running many rows at once saves no time and
// costs memory.
constexpr int64_t kRowsBytes = int64_t{32} << 20;
// More rows at once than these would not stay in a cache from one operation to the next.
constexpr int64_t kCachedBytes = int64_t{1} << 20;
constexpr int64_t kFewRows = 4;

bool is_list(const Tensor& tensor) { return tensor.dtype() == DType::kVariant; }

bool uses_lists(const Graph& graph);

// Whether a node handles lists, or a run through whose tape it goes back does.
bool uses_lists(const Graph& graph, const Node& node) {
  if (std::ranges::any_of(node.outputs, is_list)) return true;
  if (!node.function) return false;
  for (const Graph* const callee : node.function->graphs()) {
    if (uses_lists(*callee)) return true;
  }
  return std::ranges::any_of(node.inputs, [&](Port port) {
    const Tensor& input = graph.tensor(port);
    if (!is_tape(input)) return false;
    const auto [origin, id] = origin_of(input);
    return uses_lists(*origin, origin->node(id));
  });
}

bool uses_lists(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (uses_lists(graph, graph.node(id))) return true;
  }
  return false;
}

// Which nodes of a graph differ from row to row, if its inputs do. Goes through the nodes in order.
class NodesOfRows {
 public:
  explicit NodesOfRows(const Graph& graph, bool captures_differ = false)
      : graph_(graph), differs_(static_cast<size_t>(graph.size())) {
    for (const Tensor& input : graph.inputs()) mark(input);
    if (!captures_differ) return;
    for (const Capture& capture : graph.captures()) mark(capture.inner);
  }
  bool operator()(Port port) const { return differs_[static_cast<size_t>(port.node)] != 0; }
  // Whether the next node does.
  bool next(NodeId id) {
    const bool any = std::ranges::any_of(graph_.node(id).inputs, *this);
    differs_[static_cast<size_t>(id)] |= any;
    return any;
  }

 private:
  void mark(const Tensor& tensor) {
    differs_[static_cast<size_t>(symbol_of(tensor)->port().node)] = 1;
  }

  const Graph& graph_;
  std::vector<char> differs_;
};

// Whether there are lists that differ from row to row. Lists cannot be batched.
bool has_lists_of_rows(const Graph& graph) {
  NodesOfRows of_rows(graph);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (of_rows.next(id) && uses_lists(graph, graph.node(id))) return true;
  }
  return false;
}

// Whether the shape of a node's results may depend on the values of its inputs.
bool has_shape_of_values(const Graph& graph, const Node& node) {
  if (!node.op) return false;
  const Op* const searching[] = {&ops::where_indices, &ops::unique_with_counts,
                                 &ops::dynamic_partition};
  if (std::ranges::find(searching, node.op) != std::end(searching)) return true;
  const auto is_known = [](const Tensor& tensor) { return tensor.shape().fully_known(); };
  const auto is_input_known = [&](Port port) { return is_known(graph.tensor(port)); };
  return std::ranges::all_of(node.inputs, is_input_known) && node.late.empty() &&
         !std::ranges::all_of(node.outputs, is_known);
}

// Whether results of different rows may differ in shape inside of the graph. They cannot be
// batched.
bool has_shapes_of_rows(const Graph& graph, bool captures_differ = false) {
  NodesOfRows of_rows(graph, captures_differ);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!of_rows.next(id)) continue;
    const Node& node = graph.node(id);
    if (has_shape_of_values(graph, node)) return true;
    const Graph* const callee = node.function ? callee_of(node) : nullptr;
    if (callee && has_shapes_of_rows(*callee)) return true;
  }
  return false;
}

// Infers the specs of results of rows.
SpecList specs_of_rows(const Graph& callee, std::span<const Tensor> rows) {
  SpecList specs;
  int64_t count = kUnknownSize;
  for (const Tensor& tensor : rows) {
    if (tensor.shape().ranked() && tensor.dim(0) != kUnknownSize) count = tensor.dim(0);
  }
  for (const Tensor& output : callee.outputs()) {
    Shape shape = output.shape();
    if (shape.ranked()) shape.insert(0, count);
    specs.push_back({output.dtype(), shape});
  }
  return specs;
}

// Inputs: for each input of the graph a tensor of rows, then the graph's captures.
class Rows final : public NodeFunction {
 public:
  explicit Rows(CallablePtr callee)
      : callee_(std::move(callee)),
        arity_(callee_->graph().inputs().size()),
        one_by_one_(has_lists_of_rows(callee_->graph()) || has_shapes_of_rows(callee_->graph())) {}

  const char* type() const override { return "RowsOf"; }
  bool has_effects() const override { return callee_->has_effects(); }
  bool needs_host() const override { return callee_->needs_host(); }
  std::vector<const Graph*> graphs() const override { return {&callee_->graph()}; }
  std::vector<Variable*> reads() const override { return callee_->connections().variables; }
  bool connects(size_t source) const override { return callee_->connections().connected[source]; }

  // Whether it can run where its inputs are batched: the rows of all these are rows of one run.
  bool nests() const;

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    std::vector<char> are_rows(inputs.size());
    std::fill_n(are_rows.begin(), arity_, char{1});
    int64_t outer = 0;
    for (const Tensor& input : inputs) {
      if (const Tensor rows = rows_of(input)) outer = rows.dim(0);
    }
    if (outer == 0) return run_rows(inputs, are_rows, outputs);
    const int64_t count = inputs[0].dim(0);
    TensorList merged(inputs), results;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor rows = are_rows[i] ? as_rows(inputs[i], outer) : rows_of(inputs[i]);
      if (!rows) continue;
      merged[i] = one_axis(are_rows[i] ? rows : repeated(rows, count));
      are_rows[i] = 1;
    }
    run_rows(merged, are_rows, results);
    for (const Tensor& result : results) {
      Shape shape = result.shape();
      shape[0] = count;
      shape.insert(0, outer);
      outputs.push_back(batched(reshape_to(result, shape)));
    }
  }

  // In a program, adds the graph's nodes row by row; elsewhere, the same node.
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList& outputs) const override {
    if (!graph.for_program()) {
      const SpecList specs = specs_of_rows(callee_->graph(), inputs.first(arity_));
      outputs = add_function(graph, std::make_shared<Rows>(callee_), inputs, specs, "RowsOf");
      return;
    }
    const int64_t count = inputs[0].shape().ranked() ? inputs[0].dim(0) : kUnknownSize;
    if (count < 1 || count > kUnrolled) {
      fail(Code::kUnimplemented, "tf.vectorized_map in a program takes 1 to ", kUnrolled, " rows");
    }
    std::vector<TensorList> parts(callee_->graph().outputs().size());
    for (int64_t row = 0; row < count; ++row) {
      TensorList arguments(inputs);
      for (size_t i = 0; i < arity_; ++i) {
        arguments[i] = call(ops::gather, {inputs[i], Tensor::of(row)}, ops::GatherAttrs{});
      }
      const TensorList results = replayed(callee_->graph(), arguments);
      for (size_t k = 0; k < parts.size(); ++k) parts[k].push_back(results[k]);
    }
    for (const TensorList& part : parts)
      outputs.push_back(call(ops::stack, part, ops::StackAttrs{}));
  }

 private:
  static constexpr int64_t kUnrolled = 256;

  // `are_rows` says which inputs have a row for each run; the others are the same for all.
  void run_rows(std::span<const Tensor> inputs, std::span<const char> are_rows,
                TensorList& outputs) const {
    const int64_t count = inputs[0].dim(0);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!are_rows[i] || inputs[i].dim(0) == count) continue;
      invalid_argument("All tensors must have as many rows, but one has ", count, " and another ",
                       inputs[i].dim(0), ".");
    }
    const int64_t at_once = one_by_one_ ? 1 : rows_at_once(inputs, are_rows);
    std::vector<TensorList> parts(callee_->graph().outputs().size());
    // The graph runs once even if there are no rows, to infer the shapes.
    for (int64_t begin = 0; begin < std::max<int64_t>(count, 1); begin += at_once) {
      const int64_t size = std::min(at_once, count - begin);
      TensorList arguments(inputs), results;
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!are_rows[i]) continue;
        Tensor& rows = arguments[i];
        if (size < count) rows = part(rows, begin, size);
        rows = size > 1 ? batched(rows) : one_of(rows);
      }
      callee_->plan().run(arguments, results);
      for (size_t k = 0; k < parts.size(); ++k) {
        parts[k].push_back(size > 1 ? as_rows(results[k], size)
                           : size   ? with_axis(results[k])
                                    : none_of(results[k]));
      }
    }
    for (const TensorList& list : parts) {
      outputs.push_back(list.size() == 1 ? list[0]
                                         : call(ops::concat, list, ops::ConcatAttrs{.axis = 0}));
    }
  }

  // The first two axes as one.
  static Tensor one_axis(const Tensor& rows) {
    Shape shape = rows.shape();
    shape[1] *= shape[0];
    shape.erase(0);
    return reshape_to(rows, shape);
  }
  // Each row `count` times, along a second axis.
  static Tensor repeated(const Tensor& rows, int64_t count) {
    Shape shape = rows.shape();
    shape.insert(1, 1);
    const Tensor one = reshape_to(rows, shape);
    shape[1] = count;
    return call(ops::broadcast_to, {one}, ops::BroadcastToAttrs{.shape = Ints(shape)});
  }

  // The only row, or ones if there is no row. It needs no batch axis, and so may have the largest
  // rank; it also has a gradient.
  static Tensor one_of(const Tensor& rows) {
    Shape shape = rows.shape(), first = shape;
    shape.erase(0);
    if (rows.dim(0)) return reshape_to(rows, shape);
    if (!is_differentiable(rows.dtype())) return zeros(rows.dtype(), shape);
    first[0] = 1;
    const TensorList both{rows, ones(rows.dtype(), first)};
    return reshape_to(call(ops::concat, both, ops::ConcatAttrs{.axis = 0}), shape);
  }
  static Tensor with_axis(const Tensor& result) {
    Shape shape = result.shape();
    shape.insert(0, 1);
    return reshape_to(result, shape);
  }
  static Tensor none_of(const Tensor& result) { return part(with_axis(result), 0, 0); }
  static Tensor part(const Tensor& rows, int64_t begin, int64_t size) {
    Shape shape = rows.shape(), first = shape;
    for (int i = 0; i < first.rank(); ++i) first[i] = 0;
    first[0] = begin;
    shape[0] = size;
    return call(ops::slice, {rows}, ops::SliceAttrs{.begin = Ints(first), .size = Ints(shape)});
  }
  // Tensors inside the graph are assumed to be as large as the largest input.
  static int64_t rows_at_once(std::span<const Tensor> inputs, std::span<const char> are_rows) {
    int64_t row = 1, shared = 1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (is_tape(inputs[i])) continue;
      if (are_rows[i]) {
        row = std::max(row, inputs[i].bytes() / std::max<int64_t>(inputs[i].dim(0), 1));
      } else {
        shared = std::max(shared, inputs[i].bytes());
      }
    }
    const int64_t cached = std::max(kFewRows, kCachedBytes / row);
    return std::max<int64_t>(1, std::min(kRowsBytes / std::max(row, shared), cached));
  }

  CallablePtr callee_;
  size_t arity_;
  bool one_by_one_;
};

}  // namespace

bool draws(const Graph& graph) {
  for (NodeId id = 0; id < graph.size(); ++id) {
    const NodeFunction* const function = graph.node(id).function.get();
    if (!function) continue;
    if (function->draws()) return true;
    for (const Graph* const callee : function->graphs()) {
      if (draws(*callee)) return true;
    }
  }
  return false;
}

bool depends_on_inputs(const Graph& graph, const Tensor& tensor) {
  const Symbol* const symbol = symbol_of(tensor);
  if (!symbol || symbol->graph().get() != &graph) return false;
  NodesOfRows of_rows(graph);
  for (NodeId id = 0; id <= symbol->port().node; ++id) of_rows.next(id);
  return of_rows(symbol->port());
}

namespace {

bool can_run_rows(const Graph& graph, bool captures_differ) {
  if (draws(graph)) return false;
  NodesOfRows of_rows(graph, captures_differ);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.has_effects()) return false;
    const bool any = of_rows.next(id);
    if (any && node.function) {
      const Graph* const callee = callee_of(node);
      const auto* const rows = dynamic_cast<const Rows*>(node.function.get());
      const bool reads_tape =
          std::ranges::any_of(node.inputs, [&](Port port) { return is_tape(graph.tensor(port)); });
      if (rows ? reads_tape || !rows->nests() : !callee || !ef::graph::can_run_rows(*callee)) {
        return false;
      }
    }
    for (const LateAttr& late : node.late) {
      if (of_rows(node.inputs[static_cast<size_t>(late.input)])) return false;
    }
    if (any && std::ranges::any_of(node.outputs, is_list)) return false;
  }
  return true;
}

bool Rows::nests() const {
  return !one_by_one_ && !has_shapes_of_rows(callee_->graph(), /*captures_differ=*/true) &&
         can_run_rows(callee_->graph(), /*captures_differ=*/true);
}

}  // namespace

bool can_run_rows(const Graph& graph) { return can_run_rows(graph, /*captures_differ=*/false); }

TensorList add_rows(Graph& graph, const CallablePtr& callee, std::span<const Tensor> rows) {
  TensorList inputs(rows);
  append_captures(callee->graph(), inputs);
  const SpecList specs = specs_of_rows(callee->graph(), rows);
  return add_function(graph, std::make_shared<Rows>(callee), inputs, specs, "RowsOf");
}

}  // namespace ef::graph
