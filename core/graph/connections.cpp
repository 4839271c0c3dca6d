// Walks graphs backwards, in the direction of gradients.
#include "graph/connections.h"

#include <algorithm>
#include <optional>

#include "graph/taping.h"
#include "graph/variables.h"
#include "ops/indexing.h"
#include "ops/op_facts.h"

namespace ef::graph {
namespace {

// For each tensor of a graph: whether the outputs depend on it, and in which form its gradient is.
class Walk {
 public:
  Walk(const Graph& graph, std::span<const Tensor> outputs) : graph_(graph) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      uses_.emplace_back(graph.node(id).outputs.size());
    }
    for (const Tensor& output : outputs) use(symbol_of(output)->port(), {});
    for (NodeId id = graph.size(); id-- > 0;) visit(graph.node(id), id);
  }

  struct Use {
    bool connected = false;
    // The dtype of indices while all readers have gradients of rows; kInvalid after another reader.
    std::optional<DType> row_indices;
  };
  const Use& of(const Tensor& tensor) const { return of(symbol_of(tensor)->port()); }
  const Use& of(Port port) const {
    return uses_[static_cast<size_t>(port.node)][static_cast<size_t>(port.output)];
  }

  struct OfVariable {
    Variable* variable;
    Use use;
  };
  std::vector<OfVariable>& variables() { return variables_; }

 private:
  void use(Port port, DType row_indices) {
    add(uses_[static_cast<size_t>(port.node)][static_cast<size_t>(port.output)], row_indices);
  }
  void use(Port port, std::nullopt_t) { use(port, DType::kInvalid); }

  static void add(Use& use, DType row_indices) {
    use.connected = true;
    const DType before = use.row_indices.value_or(row_indices);
    const bool both = before != DType::kInvalid && row_indices != DType::kInvalid;
    use.row_indices = before == row_indices ? before : both ? DType::kInt64 : DType::kInvalid;
  }

  void use(Variable* variable, const Use& more) {
    auto found = std::ranges::find(variables_, variable, &OfVariable::variable);
    if (found == variables_.end()) found = variables_.insert(found, {variable, {}});
    if (more.connected) add(found->use, more.row_indices.value_or(DType::kInvalid));
  }

  void visit(const Node& node, NodeId id) {
    bool connected = false;
    for (size_t j = 0; j < node.outputs.size(); ++j) {
      const Tensor& output = node.outputs[j];
      connected |= (is_differentiable(output.dtype()) || is_tape(output)) &&
                   of({id, static_cast<int32_t>(j)}).connected;
    }
    if (Variable* const variable = read_by(node)) return use(variable, of({id, 0}));
    if (node.function) {
      const std::vector<Variable*> variables = node.function->reads();
      for (size_t k = 0; k < variables.size(); ++k) {
        const size_t source = node.inputs.size() + k;
        Use more;
        more.connected = connected && node.function->connects(source);
        more.row_indices = node.function->row_indices(source);
        use(variables[k], more);
      }
    }
    if (!connected || (node.op && !has_gradient(*node.op))) return;
    for (size_t i = 0; i < static_cast<size_t>(node.num_op_inputs); ++i) {
      const Tensor& input = graph_.tensor(node.inputs[i]);
      if (!is_differentiable(input.dtype()) && !is_tape(input)) continue;
      if (node.function && !node.function->connects(i)) continue;
      use(node.inputs[i], rows_of(node, i));
    }
  }

  // The dtype of indices, if the gradient with respect to an input consists of rows.
  DType rows_of(const Node& node, size_t i) const {
    if (node.function) return node.function->row_indices(i);
    const bool gathers = node.op == &ops::gather || node.op == &ops::gather_nd;
    if (!gathers || i != 0 || !node.late.empty()) return DType::kInvalid;
    const Tensor& indices = graph_.tensor(node.inputs[1]);
    const Shape& params = graph_.tensor(node.inputs[0]).shape();
    return ops::gathers_rows(node.attrs, params, indices.shape()) ? indices.dtype()
                                                                  : DType::kInvalid;
  }

  const Graph& graph_;
  std::vector<std::vector<Use>> uses_;
  std::vector<OfVariable> variables_;
};

}  // namespace

Connections find_connections(const Graph& graph) {
  return find_connections(graph, graph.outputs());
}

Connections find_connections(const Graph& graph, std::span<const Tensor> outputs) {
  Walk walk(graph, outputs);
  Connections result;
  result.conditional = std::ranges::count_if(outputs, [](const Tensor& output) {
                         return is_differentiable(output.dtype());
                       }) > 1;
  for (NodeId id = 0; id < graph.size(); ++id) {
    result.conditional |= static_cast<bool>(graph.node(id).function);
  }
  const auto add = [&](const Walk::Use& use) {
    result.connected.push_back(use.connected);
    result.row_indices.push_back(use.row_indices.value_or(DType::kInvalid));
  };
  for (const Tensor& input : graph.inputs()) add(walk.of(input));
  for (const Capture& capture : graph.captures()) add(walk.of(capture.inner));
  // In the order in which the graph reads them.
  auto& variables = walk.variables();
  std::ranges::reverse(variables);
  for (const Walk::OfVariable& of : variables) {
    result.variables.push_back(of.variable);
    add(of.use);
  }
  return result;
}

void add_missing(std::span<Variable* const> variables, std::vector<Variable*>& result) {
  for (Variable* variable : variables) {
    if (std::ranges::find(result, variable) == result.end()) result.push_back(variable);
  }
}

}  // namespace ef::graph
