// Sorting the nodes that a run needs.
#include "session/plan.h"

#include <algorithm>

namespace ef::session {

Plan::Plan(const Graph& graph, std::span<const Port> fetches, std::span<const NodeId> operations,
           std::span<const Port> feeds)
    : graph_(graph),
      feeds_(feeds.begin(), feeds.end()),
      index_of_(static_cast<size_t>(graph.size()), -1),
      watched_variables_(static_cast<size_t>(graph.size())),
      num_feeds_(static_cast<int32_t>(feeds.size())),
      num_slots_(num_feeds_) {
  for (const Port& port : feeds) graph.spec(port);  // throws for an unknown port
  std::vector<NodeId> roots(operations.begin(), operations.end());
  for (const Port& port : fetches) {
    graph.spec(port);
    if (fed_slot(port) < 0 && !is_variable(port)) roots.push_back(port.node);
  }
  order_ = sorted(roots, std::vector<char>(static_cast<size_t>(graph.size())));
  plan_branches();
  find_gradients();
  connect();
  for (const Port& port : fetches) fetches_.push_back(find(port));
  find_last_uses();
}

int32_t Plan::fed_slot(Port port) const {
  const auto feed = std::ranges::find(feeds_, port);
  return feed == feeds_.end() ? -1 : static_cast<int32_t>(feed - feeds_.begin());
}

bool Plan::is_variable(Port port) const { return graph_.node(port.node).kind == Kind::kVariable; }

Input Plan::find(Port port) const {
  if (const int32_t slot = fed_slot(port); slot >= 0) return {slot, -1, false};
  if (is_variable(port)) {
    return {-1, port.node, watched_variables_[static_cast<size_t>(port.node)] != 0};
  }
  const auto node = static_cast<size_t>(port.node);
  const int32_t index = node < index_of_.size() ? index_of_[node] : -1;
  if (index < 0) return {};
  return {nodes_[static_cast<size_t>(index)].first_slot + port.output, -1, false};
}

void Plan::needed(NodeId node, std::vector<NodeId>& result) const {
  result = graph_.node(node).controls;
  for (const Port& input : graph_.node(node).inputs) {
    if (fed_slot(input) < 0 && !is_variable(input)) result.push_back(input.node);
  }
}

int32_t Plan::planned_index(NodeId node) {
  int32_t& index = index_of_[static_cast<size_t>(node)];
  if (index < 0) {
    index = static_cast<int32_t>(nodes_.size());
    PlannedNode& planned = nodes_.emplace_back();
    planned.node = node;
    planned.first_slot = num_slots_;
    num_slots_ += static_cast<int32_t>(graph_.node(node).outputs.size());
  }
  return index;
}

// The nodes that the roots depend on and that have not run, in topological order.
std::vector<int32_t> Plan::sorted(std::span<const NodeId> roots, std::span<const char> done) {
  enum : char { kNew, kOpen, kPlaced };
  std::vector<char> state(done.begin(), done.end());
  for (char& mark : state) mark = mark ? kPlaced : kNew;
  std::vector<int32_t> order;
  std::vector<NodeId> stack(roots.rbegin(), roots.rend()), before;
  while (!stack.empty()) {
    const NodeId node = stack.back();
    char& mark = state[static_cast<size_t>(node)];
    if (mark == kPlaced) {
      stack.pop_back();
    } else if (mark == kOpen) {
      stack.pop_back();
      mark = kPlaced;
      order.push_back(planned_index(node));
    } else {
      mark = kOpen;
      needed(node, before);
      for (auto it = before.rbegin(); it != before.rend(); ++it) {
        if (state[static_cast<size_t>(*it)] == kNew) stack.push_back(*it);
      }
    }
  }
  return order;
}

// A branch runs the nodes it needs when its choice runs, unless they have run by then.
void Plan::plan_branches() {
  std::vector<char> done(index_of_.size());
  const auto plan_choice = [&](int32_t index, const auto& again) -> void {
    const NodeId id = nodes_[static_cast<size_t>(index)].node;
    if (graph_.node(id).kind != Kind::kChoice) return;
    has_choices_ = true;
    std::vector<PlannedNode::PlannedBranch> planned;
    for (const Branch& branch : graph_.node(id).branches) {
      std::vector<NodeId> roots = branch.nodes;
      for (const Port& port : branch.results) {
        if (fed_slot(port) < 0 && !is_variable(port)) roots.push_back(port.node);
      }
      planned.push_back({sorted(roots, done), {}});
      for (const int32_t inner : planned.back().order) again(inner, again);
    }
    nodes_[static_cast<size_t>(index)].branches = std::move(planned);
  };
  for (const int32_t index : order_) {
    plan_choice(index, plan_choice);
    done[static_cast<size_t>(nodes_[static_cast<size_t>(index)].node)] = 1;
  }
}

void Plan::find_gradients() {
  watched_.assign(static_cast<size_t>(num_slots_), 0);
  std::vector<char> below(index_of_.size());  // nodes made from gradients
  for (const PlannedNode& planned : nodes_) {
    const Node& node = graph_.node(planned.node);
    if (node.kind != Kind::kGradient) continue;
    ++num_gradients_;
    const auto plain = static_cast<size_t>(node.targets * (node.weighted ? 2 : 1) + node.sources);
    differentiates_often_ |= num_gradients_ > 1 || node.inputs.size() > plain;
    for (size_t k = static_cast<size_t>(node.targets); k < node.inputs.size(); ++k) {
      const bool weight = node.weighted && k >= static_cast<size_t>(node.targets + node.sources) &&
                          k < static_cast<size_t>(2 * node.targets + node.sources);
      if (weight) continue;
      if (is_variable(node.inputs[k]) && fed_slot(node.inputs[k]) < 0) {
        watched_variables_[static_cast<size_t>(node.inputs[k].node)] = 1;
      } else if (const Input input = find(node.inputs[k]); input.slot >= 0) {
        watched_[static_cast<size_t>(input.slot)] = 1;
      }
    }
  }
  if (num_gradients_ < 2) return;
  // Choices hide dependencies: with them, all gradients may be nested.
  nested_gradients_ = has_choices_;
  for (const int32_t index : order_) {
    const NodeId id = nodes_[static_cast<size_t>(index)].node;
    const Node& node = graph_.node(id);
    const bool made_from = std::ranges::any_of(node.inputs, [&](const Port& input) {
      return below[static_cast<size_t>(input.node)] != 0;
    });
    if (node.kind == Kind::kGradient && made_from) nested_gradients_ = true;
    below[static_cast<size_t>(id)] = made_from || node.kind == Kind::kGradient;
  }
}

void Plan::connect() {
  for (PlannedNode& planned : nodes_) {
    const Node& node = graph_.node(planned.node);
    for (const Port& input : node.inputs) planned.inputs.push_back(find(input));
    for (size_t k = 0; k < planned.branches.size(); ++k) {
      for (const Port& port : node.branches[k].results) {
        planned.branches[k].results.push_back(find(port));
      }
    }
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (watched_[static_cast<size_t>(planned.first_slot) + k]) planned.watched = true;
    }
  }
}

// Values are dropped after their last use; with choices, whose uses are not known before, never.
void Plan::find_last_uses() {
  if (has_choices_) return;
  std::vector<char> wanted(static_cast<size_t>(num_slots_));
  for (const Input& fetch : fetches_) {
    if (fetch.slot >= 0) wanted[static_cast<size_t>(fetch.slot)] = 1;
  }
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    PlannedNode& planned = nodes_[static_cast<size_t>(*it)];
    const auto drop = [&](int32_t slot) {
      char& mark = wanted[static_cast<size_t>(slot)];
      if (!mark) planned.last_used.push_back(slot);
      mark = 1;
    };
    for (const Input& input : planned.inputs) {
      if (input.slot >= 0) drop(input.slot);
    }
    for (size_t k = 0; k < graph_.node(planned.node).outputs.size(); ++k) {
      drop(planned.first_slot + static_cast<int32_t>(k));
    }
  }
}

}  // namespace ef::session
