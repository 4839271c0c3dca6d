// Nodes that read and change variables.
#pragma once

#include <utility>
#include <vector>

#include "eager/variable.h"
#include "graph/graph.h"

namespace ef::graph {

enum class Change : uint8_t { kReplace, kAdd, kSubtract };

// Adds a node that reads the variable when it runs; its result.
Tensor add_read(Graph& graph, Variable& variable);
// Adds a node that changes the variable. The caller has checked the dtype.
void add_assign(Graph& graph, Variable& variable, Change change, const Tensor& value);

// The variable whose value a node returns; null for other nodes.
Variable* read_by(const Node& node);

// Variables that a function was traced with, as arguments, and those of a call.
using VariablePairs = std::vector<std::pair<VariableRef, VariableRef>>;

// Makes the nodes that this thread runs use other variables than those that they were traced with.
class SwappedVariables {
 public:
  explicit SwappedVariables(const VariablePairs& pairs);
  ~SwappedVariables();
  SwappedVariables(const SwappedVariables&) = delete;
  SwappedVariables& operator=(const SwappedVariables&) = delete;

  // The variable that stands for one of the trace.
  static Variable& find(Variable& traced) { return innermost_ ? search(traced) : traced; }

 private:
  static Variable& search(Variable& traced);
  static thread_local const SwappedVariables* innermost_;

  std::vector<std::pair<Variable*, Variable*>> pairs_;
  const SwappedVariables* outer_;
};

}  // namespace ef::graph
