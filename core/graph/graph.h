// Graphs: operations that have been described and not run, and how they hang together.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "graph/program.h"

namespace ef::graph {

using NodeId = int32_t;

// One of the tensors that a node gives.
struct Port {
  NodeId node = -1;
  int32_t output = 0;
  friend bool operator==(const Port&, const Port&) = default;
};

enum class Kind : uint8_t {
  kHost,      // something that only the host language can do
  kProgram,   // operations
  kNothing,   // it is there so that others wait for it
  kFeed,      // a value that each run is given
  kVariable,  // a value that a session keeps
  kAssign,    // inputs: a variable and its new value, or what is added or subtracted
  kGradient,  // inputs: targets, sources, weights or none, tensors taken for constants
  kChoice,    // input: a boolean; gives what one of two branches gives
};

enum class Change : uint8_t { kReplace, kAdd, kSubtract };

// The place in a program that made a node.
struct Source {
  std::string file;
  int line = 0;
  std::string function;
};

// What a choice's branch gives, and what else has to run for it.
struct Branch {
  std::vector<Port> results;
  std::vector<NodeId> nodes;
};

struct Node {
  Kind kind = Kind::kHost;
  std::string name;
  std::string type;
  Source source;
  std::vector<Port> inputs;
  std::vector<NodeId> controls;  // nodes that run before, though this one takes nothing from them
  std::vector<PartialSpec> outputs;

  Program program;                 // of kProgram
  Change change{};                 // of kAssign
  int32_t targets = 0;             // of kGradient: how many inputs are targets,
  int32_t sources = 0;             // how many after them are sources,
  bool weighted = false;           // and whether a weight for each target follows
  std::array<Branch, 2> branches;  // of kChoice: if false, if true
};

class Graph {
 public:
  // Throws if an input or a control input is not there yet, or if the graph is final.
  NodeId add(Node node);
  // Gives a node the operations that it consists of.
  void set_program(NodeId id, Program program);
  // What a node's operations make of its inputs' dtypes and shapes; it is noted with the node.
  // Throws what operations throw.
  const std::vector<PartialSpec>& infer(NodeId id);

  Node& node(NodeId id);
  const Node& node(NodeId id) const { return const_cast<Graph*>(this)->node(id); }
  const PartialSpec& spec(Port port) const;
  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }

  // "In operation 'x' of type T, made at file:line", for messages.
  std::string describe(NodeId id) const;

 private:
  std::deque<Node> nodes_;  // nodes stay where they are
};

}  // namespace ef::graph
