// Graphs: nodes with their inputs and operations, which are described and not run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "session/program.h"

namespace ef::session {

using NodeId = int32_t;

// One of a node's outputs.
struct Port {
  NodeId node = -1;
  int32_t output = 0;
  friend bool operator==(const Port&, const Port&) = default;
};

enum class Kind : uint8_t {
  kHost,      // run by the host language
  kProgram,   // operations
  kNothing,   // only a control dependency
  kFeed,      // a value that is fed to a run
  kVariable,  // a value that a session keeps
  kAssign,    // inputs: a variable and its new value, or what is added or subtracted
  kGradient,  // inputs: targets, sources, optional weights, tensors that count as constants
  kChoice,    // input: a boolean; returns the outputs of one of two branches
};

enum class Change : uint8_t { kReplace, kAdd, kSubtract };

// The line of the program that created a node.
struct Source {
  std::string file;
  int line = 0;
  std::string function;
};

// The outputs of a choice's branch, and the other nodes that it runs.
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
  std::vector<NodeId> controls;  // nodes that run before this one, without passing values
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
  // Throws if an input or a control input does not exist, or if the graph is final.
  NodeId add(Node node);
  // Sets the operations of a node.
  void set_program(NodeId id, Program program);
  // Infers a node's output specs from those of its inputs, and stores them in the node. Throws what
  // operations throw.
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

}  // namespace ef::session
