// A plan: the nodes of a run, their order, and the slots of their values.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "session/graph.h"

namespace ef::session {

// The source of a node's input: a slot of the run's values, or a variable.
struct Input {
  int32_t slot = -1;
  NodeId variable = -1;  // if there is no slot
  bool watched = false;  // whether gradients for the variable are asked for
};

struct PlannedNode {
  NodeId node = -1;
  int32_t first_slot = 0;
  bool watched = false;  // whether gradients for one of its results are asked for
  InlineVector<Input, 4> inputs;
  std::vector<int32_t> last_used;  // slots that are unused after this node
  struct PlannedBranch {
    std::vector<int32_t> order;  // the nodes of the branch that may not have run yet
    std::vector<Input> results;
  };
  std::vector<PlannedBranch> branches;  // of a choice
};

// Created once for each combination of fetches and feeds, and run many times.
class Plan {
 public:
  // Fed ports have slots 0, 1, ...; the nodes before them are not needed.
  Plan(const Graph& graph, std::span<const Port> fetches, std::span<const NodeId> operations,
       std::span<const Port> feeds);

  std::span<const int32_t> order() const { return order_; }
  const PlannedNode& planned(int32_t index) const { return nodes_[static_cast<size_t>(index)]; }
  size_t num_planned() const { return nodes_.size(); }
  int32_t num_slots() const { return num_slots_; }
  std::span<const Input> fetches() const { return fetches_; }
  bool watched(int32_t slot) const { return watched_[static_cast<size_t>(slot)]; }
  int32_t num_feeds() const { return num_feeds_; }
  bool has_choices() const { return has_choices_; }

  // The source of a port's value in a run.
  Input find(Port port) const;

  // How many nodes give gradients, and whether gradients of gradients are among them.
  int num_gradients() const { return num_gradients_; }
  bool nested_gradients() const { return nested_gradients_; }
  // Whether there is more than one backward pass over the records.
  bool differentiates_often() const { return differentiates_often_; }

 private:
  std::vector<int32_t> sorted(std::span<const NodeId> roots, std::span<const char> done);
  int32_t planned_index(NodeId node);
  bool is_variable(Port port) const;
  int32_t fed_slot(Port port) const;
  void needed(NodeId node, std::vector<NodeId>& result) const;
  void connect();
  void plan_branches();
  void find_gradients();
  void find_last_uses();

  const Graph& graph_;
  std::vector<Port> feeds_;
  std::vector<int32_t> index_of_;  // by node; -1 if it is not in the plan
  std::vector<PlannedNode> nodes_;
  std::vector<int32_t> order_;
  std::vector<Input> fetches_;
  std::vector<char> watched_;
  std::vector<char> watched_variables_;
  int32_t num_feeds_;
  int32_t num_slots_;
  int num_gradients_ = 0;
  bool nested_gradients_ = false;
  bool differentiates_often_ = false;
  bool has_choices_ = false;
};

}  // namespace ef::session
