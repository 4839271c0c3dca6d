// Adds nodes to graphs: the dispatch of an operation while a graph is being built.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "eager/tape.h"
#include "graph/graph.h"

namespace ef::graph {

// A scalar or list among the attributes of a call that is unknown while tracing. Holes are in the
// order of the attributes, and of the elements in a list.
struct Hole {
  int32_t field = 0;
  bool whole = false;    // the entire list, whose length is unknown
  Tensor source;         // an integer, floating or boolean tensor
  int64_t position = 0;  // which element of the source
};

// Adds a node that runs `op`. In place of a hole, `attrs` holds kUnknownInt, Ints::unknown(), an
// unknown Shape or size, or any value. Throws what the operation throws for such dtypes and
// shapes; InvalidArgument becomes a ValueError, as TensorFlow's graphs raise it.
void add_call(Graph& graph, const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
              std::span<const Hole> holes, std::string_view name, TensorList& outputs);

// Adds a node that runs a function with results of these specs.
TensorList add_function(Graph& graph, std::shared_ptr<const NodeFunction> function,
                        std::span<const Tensor> inputs, const SpecList& specs,
                        std::string_view name);

// The attributes, with values from inputs in their holes.
SavedAttrs completed_attrs(AttrsRef attrs, std::span<const LateAttr> late,
                           std::span<const Tensor> inputs);

// Records a node on tapes, as if they had been active when it was added.
void record_node(Graph& graph, NodeId id, std::span<Tape* const> tapes);

// The attributes, with values in the holes that are known for these inputs while tracing; `late`
// becomes whether any hole is left.
SavedAttrs known_attrs(const Node& node, std::span<const Tensor> inputs, bool& late);
// A node's inputs, symbolic.
TensorList inputs_of(const Graph& graph, const Node& node);

// During its lifetime, sets the name of the nodes that this thread adds without a name of their
// own.
class NodeName {
 public:
  explicit NodeName(std::string_view name);
  ~NodeName();
  NodeName(const NodeName&) = delete;
  NodeName& operator=(const NodeName&) = delete;
  static std::string_view current();

 private:
  std::string_view outer_;
};

// Collects the holes of a call while its arguments are converted.
class HoleCollector {
 public:
  HoleCollector();
  ~HoleCollector();
  HoleCollector(const HoleCollector&) = delete;
  HoleCollector& operator=(const HoleCollector&) = delete;

  // Which field is being converted.
  void begin_field(int32_t field) { field_ = field; }
  std::span<const Hole> holes() const { return holes_; }
  // Whether even known values leave holes, because a session may feed other values.
  bool follows_known() const { return follows_known_; }
  void add(Hole hole) { holes_.push_back(std::move(hole)); }

  // The collector of the call whose arguments this thread converts; null if there is none.
  static HoleCollector* current() {
    return graphs_begun.load(std::memory_order_relaxed) == 0 ? nullptr : innermost();
  }
  // The elements of an integer scalar or vector without a value, with holes for unknown ones.
  Ints integers_of(const Tensor& tensor);
  // Leaves a hole for a scalar.
  void number_of(const Tensor& tensor);

 private:
  static HoleCollector* innermost();

  int32_t field_ = 0;
  std::vector<Hole> holes_;
  bool follows_known_;
  HoleCollector* outer_;
};

}  // namespace ef::graph
