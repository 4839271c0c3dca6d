// One run of a plan: the fed and computed values, and the changed variables.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "eager/tape.h"
#include "eager/variable.h"
#include "session/graph.h"
#include "session/plan.h"

namespace ef::session {

// A tensor, or an object of the host language.
struct Value {
  Tensor tensor;
  std::shared_ptr<void> object;
  explicit operator bool() const { return static_cast<bool>(tensor) || object != nullptr; }
};

// The variables of a session, by their nodes.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() { clear(); }

  void set(NodeId node, Variable& variable);
  Variable* find(NodeId node) const;
  void clear();

 private:
  std::unordered_map<NodeId, Variable*> variables_;  // counted references
};

class Execution;

// What the engine delegates to the host language.
class Host {
 public:
  // Runs a node, one value for each of its outputs. Programs come here as well if one of their
  // inputs is no tensor, and changes of variables that are not of their dtype and shape.
  virtual void run(NodeId node, Execution& execution, std::vector<Value>& outputs) = 0;
  // A sparse gradient as an object.
  virtual std::shared_ptr<void> sparse(Gradient gradient) = 0;

 protected:
  ~Host() = default;
};

class Execution {
 public:
  Execution(const Graph& graph, const Plan& plan, Store& store, Host& host);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Throws what operations throw; failed() then returns the node.
  void run(std::span<const Tensor> feeds);
  NodeId failed() const { return current_; }

  Value fetch(size_t k) { return value_of(plan_.fetches()[k]); }
  // The value of a port, for the host; empty if it has none yet.
  Value value(Port port);

 private:
  void run_all(std::span<const int32_t> order);
  void execute(const PlannedNode& planned);
  void run_program(const PlannedNode& planned, const Node& node);
  void run_host(const PlannedNode& planned, const Node& node);
  void assign(const PlannedNode& planned, const Node& node);
  void choose(const PlannedNode& planned, const Node& node);
  void differentiate(const PlannedNode& planned, const Node& node);
  std::vector<Gradient> gradients(std::span<const Tensor> targets, std::span<const Tensor> weights,
                                  std::span<const uint64_t> sources);
  void watch_results(const PlannedNode& planned, const Node& node);

  Value value_of(const Input& input);
  Tensor tensor_of(const Input& input);  // throws if the input is no tensor
  uint64_t identity_of(const Input& input);
  Variable& variable(const Input& input);
  Value& slot(int32_t index) { return values_[static_cast<size_t>(index)]; }

  const Graph& graph_;
  const Plan& plan_;
  Store& store_;
  Host& host_;
  std::vector<Value> values_;
  std::vector<char> done_;  // only where there are choices
  Tape* tape_ = nullptr;
  int gradients_left_ = 0;
  NodeId current_ = -1;
};

}  // namespace ef::session
