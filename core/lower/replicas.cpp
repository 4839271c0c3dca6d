// Matches the operations of replicas.
#include "lower/replicas.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "eager/variable.h"
#include "graph/control_flow.h"
#include "graph/variables.h"
#include "lower/rule.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Port;
using Nodes = std::vector<NodeId>;  // one of each replica
using Ports = Replicas::Ports;
using Copies = std::vector<Variable*>;

const Tensor& known_value(const Tensor& tensor) { return symbol_of(tensor)->value(); }

bool is_control_flow(const Node& node) { return graph::is_choice(node) || graph::loop_of(node); }

bool same_values(const Tensor& x, const Tensor& y) {
  if (x.impl() == y.impl()) return true;
  if (x.dtype() != y.dtype() || x.shape() != y.shape()) return false;
  if (x.dtype() == DType::kString) return std::ranges::equal(x.strings(), y.strings());
  return std::memcmp(x.raw_data(), y.raw_data(), static_cast<size_t>(x.bytes())) == 0;
}

bool same_specs(const Node& x, const Node& y) {
  return std::ranges::equal(x.outputs, y.outputs, [](const Tensor& a, const Tensor& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape();
  });
}

bool same_late(const Node& x, const Node& y) {
  return std::ranges::equal(x.late, y.late, [](const auto& a, const auto& b) {
    return a.field == b.field && a.element == b.element && a.input == b.input &&
           a.position == b.position;
  });
}

class Matcher {
 public:
  Matcher(const Graph& graph, std::span<const char> skipped) : graph_(graph) {
    found_.graph = &graph;
    found_.count = graph.replicas().size();
    found_.skipped.assign(skipped.begin(), skipped.end());
    find_copies();
    find_events();
  }

  Replicas run(std::span<const Port> outputs, std::span<const Port> for_host) {
    for (const Copies& copies : found_.variables) match_changes(copies);
    found_.outputs = place(outputs);
    found_.for_host = place(for_host);
    // A program in which every replica does the work of all of them gains nothing.
    const auto is_joint_work = [](const auto& entry) {
      return entry.second.front() != entry.second.back();
    };
    if (std::ranges::none_of(matched_, is_joint_work)) {
      refuse(reason_.empty() ? "replicas have nothing in common" : reason_);
    }
    for (auto& [first, ports] : arguments_) found_.arguments.push_back(ports);
    return std::move(found_);
  }

 private:
  const Node& node(NodeId id) const { return graph_.node(id); }

  // Variables

  void find_copies() {
    std::vector<Variable*> used;
    collect_variables(graph_, false, used);
    std::map<uint32_t, Copies> groups;
    for (Variable* variable : used) {
      const auto at = std::ranges::find(graph_.replicas(), variable->device());
      if (variable->copies() == 0 || at == graph_.replicas().end()) {
        add_copies(Copies(found_.count, variable));
        continue;
      }
      Copies& copies = groups[variable->copies()];
      copies.resize(found_.count);
      copies[static_cast<size_t>(at - graph_.replicas().begin())] = variable;
    }
    for (auto& [number, copies] : groups) {
      const auto missing = std::ranges::count(copies, nullptr);
      if (missing == 0) {
        add_copies(std::move(copies));
      } else if (copies[0] && missing + 1 == std::ssize(copies)) {
        add_copies(Copies(found_.count, copies[0]));
      } else {
        refuse("some replicas use a variable that others do not");
      }
    }
  }
  void add_copies(Copies copies) {
    for (Variable* variable : copies) group_of_[variable] = found_.variables.size();
    found_.variables.push_back(std::move(copies));
  }
  const Copies& copies_of(Variable* variable) const {
    return found_.variables[group_of_.at(variable)];
  }

  // The nodes that change each variable, and the number of changes before each node that reads it.
  void find_events() {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      graph::Change change;
      std::vector<Variable*> read, changed;
      if (Variable* const variable = graph::read_by(node(id))) read.push_back(variable);
      if (Variable* const variable = graph::assigned_by(node(id), change)) {
        changed.push_back(variable);
      }
      if (is_control_flow(node(id))) {
        for (const Graph* inner : node(id).function->graphs()) {
          collect_variables(*inner, false, read);
          collect_variables(*inner, true, changed);
        }
      }
      for (Variable* variable : read) {
        versions_[{id, variable}] = changes_[variable].size();
      }
      for (Variable* variable : changed) changes_[variable].push_back(id);
    }
  }

  void match_changes(const Copies& copies) {
    const Nodes first = changes_[copies[0]];
    for (Variable* variable : copies) {
      if (changes_[variable].size() != first.size()) {
        refuse("replicas change a variable differently often");
      }
    }
    for (size_t i = 0; i < first.size(); ++i) {
      Nodes nodes;
      for (Variable* variable : copies) nodes.push_back(changes_[variable][i]);
      for (const NodeId id : nodes) {
        if (id != nodes[0]) found_.skipped[static_cast<size_t>(id)] = 1;
      }
      add(std::move(nodes));
    }
    match_all();
  }

  // Whether the nodes use variables `x` and `y` alike, where `y` is the variable of replica `k`.
  bool alike(Variable* x, Variable* y, size_t k, bool changes) const {
    const Copies& copies = copies_of(x);
    if (copies[0] != x) return false;
    return copies[k] == y || (x == y && !changes && x->copies_are_equal());
  }

  // Values

  void add(Nodes nodes) { waiting_.push_back(std::move(nodes)); }
  void add(const Ports& ports) {
    Nodes nodes;
    for (const Port& port : ports) {
      if (port.output != ports[0].output) refuse("replicas use other results of a node");
      nodes.push_back(port.node);
    }
    add(std::move(nodes));
  }

  void match_all() {
    while (!waiting_.empty()) {
      const Nodes nodes = std::move(waiting_.back());
      waiting_.pop_back();
      match(nodes);
    }
  }

  void match(const Nodes& nodes) {
    const auto [at, added] = matched_.emplace(nodes[0], nodes);
    const bool shared = std::ranges::all_of(nodes, [&](NodeId id) { return id == nodes[0]; });
    const Node& first = node(nodes[0]);
    if (!added && at->second == nodes) return;
    // Copies with equal values may be read by one replica for all.
    if (!added && !(graph::read_by(first) && graph::read_by(first)->copies_are_equal())) {
      refuse("a value of one replica, ", first.name, ", is used by another one");
    }
    for (size_t k = 1; k < nodes.size() && !shared; ++k) {
      if (!same_specs(first, node(nodes[k]))) differ(nodes, k);
    }
    if (match_known(nodes) || match_placeholders(nodes) || match_parts(nodes)) return;
    for (size_t k = 0; k < nodes.size(); ++k) {
      if (!same_step(nodes, k)) differ(nodes, k);
    }
    if (shared && is_joint(first)) return;
    for (size_t i = 0; i < first.inputs.size(); ++i) {
      Ports ports;
      for (const NodeId id : nodes) ports.push_back(node(id).inputs[i]);
      add(ports);
    }
  }

  [[noreturn]] void differ(const Nodes& nodes, size_t k) const {
    refuse("replicas do not do the same: ", node(nodes[0]).name, " and ", node(nodes[k]).name);
  }

  // Values that are known; arguments of the program if they differ.
  bool match_known(const Nodes& nodes) {
    const auto is_known = [&](NodeId id) {
      return !node(id).has_effects() && !node(id).outputs.empty() &&
             std::ranges::all_of(node(id).outputs,
                                 [](const Tensor& t) { return static_cast<bool>(known_value(t)); });
    };
    if (!is_known(nodes[0])) return false;
    bool same = true;
    for (size_t k = 1; k < nodes.size(); ++k) {
      if (!is_known(nodes[k])) differ(nodes, k);
      for (size_t j = 0; j < node(nodes[0]).outputs.size(); ++j) {
        same = same && same_values(known_value(node(nodes[0]).outputs[j]),
                                   known_value(node(nodes[k]).outputs[j]));
      }
    }
    if (same) return true;
    for (size_t j = 0; j < node(nodes[0]).outputs.size(); ++j) {
      add_argument(nodes, static_cast<int32_t>(j));
    }
    return true;
  }

  bool is_placeholder(NodeId id) const {
    return !node(id).op && !node(id).function && !node(id).constant;
  }

  bool match_placeholders(const Nodes& nodes) {
    if (!is_placeholder(nodes[0])) return false;
    for (size_t k = 1; k < nodes.size(); ++k) {
      if (!is_placeholder(nodes[k])) differ(nodes, k);
    }
    add_argument(nodes, 0);
    return true;
  }

  // Parts of a batch, of which each device receives only its own.
  bool match_parts(const Nodes& nodes) {
    const auto is_part = [&](NodeId id) {
      const Node& one = node(id);
      return one.op == &ops::strided_slice && one.late.empty() && one.inputs.size() == 1 &&
             is_placeholder(one.inputs[0].node);
    };
    const AttrsRef attrs = node(nodes[0]).attrs;
    const bool differ = std::ranges::any_of(
        nodes, [&](NodeId id) { return !is_part(id) || AttrsRef(node(id).attrs) != attrs; });
    if (!differ || !std::ranges::all_of(nodes, is_part)) return false;
    add_argument(nodes, 0);
    return true;
  }

  void add_argument(const Nodes& nodes, int32_t output) {
    Ports ports;
    for (const NodeId id : nodes) ports.push_back({id, output});
    arguments_[{nodes[0], output}] = std::move(ports);
  }

  // Whether the node of replica `k` does the same as that of the first replica.
  bool same_step(const Nodes& nodes, size_t k) const {
    const Node &x = node(nodes[0]), &y = node(nodes[k]);
    if (x.op != y.op || x.inputs.size() != y.inputs.size()) return false;
    if (x.op) {
      if (AttrsRef(x.attrs) != AttrsRef(y.attrs) || !same_late(x, y)) return false;
      return std::ranges::all_of(x.late, [&](const graph::LateAttr& late) {
        const auto input = static_cast<size_t>(late.input);
        const Tensor a = known_value(graph_.tensor(x.inputs[input]));
        const Tensor b = known_value(graph_.tensor(y.inputs[input]));
        return static_cast<bool>(a) == static_cast<bool>(b) && (!a || same_values(a, b));
      });
    }
    if (!x.function || !y.function) return false;
    if (Variable* const variable = graph::read_by(x)) {
      Variable* const other = graph::read_by(y);
      return other && alike(variable, other, k, false) && same_version(nodes, k, variable, other);
    }
    graph::Change change, other_change;
    if (Variable* const variable = graph::assigned_by(x, change)) {
      Variable* const other = graph::assigned_by(y, other_change);
      return other && change == other_change && alike(variable, other, k, true);
    }
    return is_control_flow(x) && is_control_flow(y) && same_flow(nodes, k);
  }

  bool same_version(const Nodes& nodes, size_t k, Variable* x, Variable* y) const {
    return versions_.at({nodes[0], x}) == versions_.at({nodes[k], y});
  }

  bool same_flow(const Nodes& nodes, size_t k) const {
    const Node &x = node(nodes[0]), &y = node(nodes[k]);
    const auto graphs = x.function->graphs(), others = y.function->graphs();
    if (graph::is_choice(x) != graph::is_choice(y) || graphs.size() != others.size() ||
        x.function->captures() != y.function->captures()) {
      return false;
    }
    if (const auto loop = graph::loop_of(x); loop && loop->limited != graph::loop_of(y)->limited) {
      return false;
    }
    for (size_t j = 0; j < graphs.size(); ++j) {
      std::vector<std::pair<Variable*, Variable*>> pairs;
      if (!same_graphs(*graphs[j], *others[j], k, pairs)) return false;
      for (const auto& [variable, other] : pairs) {
        if (!same_version(nodes, k, variable, other)) return false;
      }
    }
    return true;
  }

  // Whether a graph inside one of the other replica's nodes is the same; `pairs` gets the
  // variables.
  bool same_graphs(const Graph& x, const Graph& y, size_t k,
                   std::vector<std::pair<Variable*, Variable*>>& pairs) const {
    if (x.size() != y.size() || x.inputs().size() != y.inputs().size() ||
        x.outputs().size() != y.outputs().size()) {
      return false;
    }
    const auto same_ports = [](std::span<const Tensor> a, std::span<const Tensor> b) {
      return std::ranges::equal(a, b, [](const Tensor& s, const Tensor& t) {
        return symbol_of(s)->port() == symbol_of(t)->port();
      });
    };
    if (!same_ports(x.inputs(), y.inputs()) || !same_ports(x.outputs(), y.outputs())) return false;
    for (NodeId id = 0; id < x.size(); ++id) {
      const Node &a = x.node(id), &b = y.node(id);
      if (a.op != b.op || !same_specs(a, b) || !std::ranges::equal(a.inputs, b.inputs))
        return false;
      for (size_t j = 0; j < a.outputs.size(); ++j) {
        const Tensor &s = known_value(a.outputs[j]), &t = known_value(b.outputs[j]);
        if (static_cast<bool>(s) != static_cast<bool>(t) || (s && !same_values(s, t))) return false;
      }
      if (a.op && (AttrsRef(a.attrs) != AttrsRef(b.attrs) || !same_late(a, b))) return false;
      if (static_cast<bool>(a.function) != static_cast<bool>(b.function)) return false;
      if (a.function && !same_inner_step(a, b, k, pairs)) return false;
    }
    return true;
  }

  bool same_inner_step(const Node& a, const Node& b, size_t k,
                       std::vector<std::pair<Variable*, Variable*>>& pairs) const {
    graph::Change change, other_change;
    Variable *x = graph::read_by(a), *y = graph::read_by(b);
    bool changes = false;
    if (!x && (x = graph::assigned_by(a, change))) {
      y = graph::assigned_by(b, other_change);
      changes = true;
      if (!y || change != other_change) return false;
    }
    if (x || y) {
      pairs.emplace_back(x, y);
      return x && y && alike(x, y, k, changes);
    }
    const auto graphs = a.function->graphs(), others = b.function->graphs();
    if (!is_control_flow(a) || !is_control_flow(b) || graphs.size() != others.size() ||
        a.function->captures() != b.function->captures()) {
      return false;
    }
    for (size_t j = 0; j < graphs.size(); ++j) {
      if (!same_graphs(*graphs[j], *others[j], k, pairs)) return false;
    }
    return true;
  }

  // Sums and concatenations of one value of each replica, which no replica can compute alone.
  bool is_joint(const Node& one) {
    const bool sum = one.op == &ops::add_n;
    if ((!sum && one.op != &ops::concat) || one.inputs.size() != found_.count) return false;
    const Ports ports(one.inputs.begin(), one.inputs.end());
    if (ports[0].node == ports[1].node) return false;
    const NodeId id = symbol_of(one.outputs[0])->port().node;
    (sum ? found_.sums : found_.gathers).insert(id);
    add(ports);
    return true;
  }

  // Results

  std::vector<std::pair<Port, size_t>> place(std::span<const Port> ports) {
    std::vector<std::pair<Port, size_t>> places;
    for (size_t j = 0; j < ports.size();) {
      if (const auto found = find(ports[j])) {
        places.push_back(*found);
        ++j;
        continue;
      }
      // Values of the replicas are concatenated.
      const size_t count = found_.count;
      if (j + count <= ports.size() && try_match(Ports(&ports[j], &ports[j] + count))) {
        for (size_t k = 0; k < count; ++k) places.emplace_back(ports[j], k);
        j += count;
        continue;
      }
      if (!try_match(Ports(count, ports[j]))) follow(ports[j].node);
      places.emplace_back(ports[j], 0);
      ++j;
    }
    return places;
  }

  // The port and replica of a value that was matched before.
  std::optional<std::pair<Port, size_t>> find(const Port& port) const {
    for (const auto& [first, nodes] : matched_) {
      const auto at = std::ranges::find(nodes, port.node);
      if (at == nodes.end()) continue;
      return std::pair(Port{first, port.output}, static_cast<size_t>(at - nodes.begin()));
    }
    return std::nullopt;
  }

  bool try_match(const Ports& ports) {
    auto matched = matched_;
    auto arguments = arguments_;
    auto sums = found_.sums, gathers = found_.gathers;
    try {
      add(ports);
      match_all();
      return true;
    } catch (const Error& error) {
      if (error.code() != Code::kUnimplemented) throw;
      reason_ = error.what();
    }
    waiting_.clear();
    matched_ = std::move(matched);
    arguments_ = std::move(arguments);
    found_.sums = std::move(sums);
    found_.gathers = std::move(gathers);
    return false;
  }

  // Nodes that only the first replica needs: the program computes them from its values.
  void follow(NodeId last) {
    std::vector<NodeId> next{last};
    std::set<NodeId> seen;
    while (!next.empty()) {
      const NodeId id = next.back();
      next.pop_back();
      if (matched_.contains(id) || !seen.insert(id).second) continue;
      const Nodes nodes(found_.count, id);
      if (match_known(nodes) || match_placeholders(nodes)) continue;
      Variable* const variable = graph::read_by(node(id));
      if (variable && copies_of(variable)[0] != variable) {
        refuse("the variable of another replica is read by ", node(id).name);
      }
      for (const Port& port : node(id).inputs) next.push_back(port.node);
    }
  }

  const Graph& graph_;
  Replicas found_;
  std::map<Variable*, size_t> group_of_;
  std::map<Variable*, Nodes> changes_;
  std::map<std::pair<NodeId, Variable*>, size_t> versions_;
  std::map<NodeId, Nodes> matched_;  // by the node of the first replica
  std::map<std::pair<NodeId, int32_t>, Ports> arguments_;
  std::vector<Nodes> waiting_;
  std::string reason_;  // the reason why the last values do not match
};

}  // namespace

Replicas match_replicas(const Graph& graph, std::span<const char> skipped,
                        std::span<const Port> for_host) {
  std::vector<Port> outputs;
  for (const Tensor& output : graph.outputs()) outputs.push_back(symbol_of(output)->port());
  return Matcher(graph, skipped).run(outputs, for_host);
}

void collect_variables(const Graph& graph, bool changed, std::vector<Variable*>& found) {
  const auto note = [&](Variable* variable) {
    if (std::ranges::find(found, variable) == found.end()) found.push_back(variable);
  };
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    graph::Change change;
    if (Variable* const variable = graph::assigned_by(node, change)) note(variable);
    if (Variable* const variable = graph::read_by(node); variable && !changed) note(variable);
    if (!node.function || !is_control_flow(node)) continue;
    for (const Graph* inner : node.function->graphs()) collect_variables(*inner, changed, found);
  }
}

}  // namespace ef::lower
