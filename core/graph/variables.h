// Nodes that read and change variables.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eager/variable_ref.h"
#include "graph/graph.h"

namespace ef::graph {

enum class Change : uint8_t { kReplace, kAdd, kSubtract };

// Adds a node that reads the variable when it runs; returns its result.
Tensor add_read(Graph& graph, Variable& variable);
// Adds a node that changes the variable. The caller has checked the dtype.
void add_assign(Graph& graph, Variable& variable, Change change, const Tensor& value);

// The variable whose value a node returns; null for other nodes.
Variable* read_by(const Node& node);

// The variable that a node changes, and how; null for other nodes.
Variable* assigned_by(const Node& node, Change& change);

// A node that applies the operation of the node `change`, which changes its first input, to the
// variable that the node `assign` assigns to: it has the inputs of `change` but the first.
std::unique_ptr<const Node> changing_node(const Node& assign, const Node& change);

// Pairs of a variable that a function was traced with and the variable of a call.
using VariablePairs = std::vector<std::pair<VariableRef, VariableRef>>;

// Adds a node that returns whether the variable has a value.
Tensor add_is_initialized(Graph& graph, Variable& variable);

// The variables of a session, one for each declaration in a graph.
class VariableStore {
 public:
  VariableStore();
  VariableStore(const VariableStore&) = delete;
  VariableStore& operator=(const VariableStore&) = delete;

  // The session's variable for a declaration; created at its first use, without a value.
  Variable& find(Variable& declared);
  void clear() { variables_.clear(); }
  // An id that no other store has.
  uint64_t id() const { return id_; }

 private:
  std::unordered_map<const Variable*, VariableRef> variables_;
  uint64_t id_;
};

// The variable of the session that this thread runs for. Throws FailedPrecondition if the thread
// runs for no session.
Variable& variable_of_run(Variable& declared);

// During its lifetime, the nodes that this thread runs use a session's variables.
class UsingStore {
 public:
  explicit UsingStore(VariableStore* store);
  ~UsingStore();
  UsingStore(const UsingStore&) = delete;
  UsingStore& operator=(const UsingStore&) = delete;

 private:
  VariableStore* outer_;
};

// During its lifetime, the nodes that this thread runs use other variables than those of the trace.
class SwappedVariables {
 public:
  explicit SwappedVariables(const VariablePairs& pairs);
  ~SwappedVariables();
  SwappedVariables(const SwappedVariables&) = delete;
  SwappedVariables& operator=(const SwappedVariables&) = delete;

  // The variable that replaces a variable of the trace.
  static Variable& find(Variable& traced);

 private:
  static Variable& search(Variable& traced);
  static thread_local const SwappedVariables* innermost_;

  std::vector<std::pair<Variable*, Variable*>> pairs_;
  const SwappedVariables* outer_;
};

}  // namespace ef::graph
