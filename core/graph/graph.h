// Graphs: the nodes of a traced function or of a program. Nodes run in the order in which they were
// added.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "graph/node_function.h"
#include "graph/symbolic.h"
#include "ops/attrs.h"
#include "tensor/error.h"

namespace ef::graph {

// The code of errors about tensors of branches, loops and inner functions that are read outside.
inline constexpr Code kInaccessibleTensor{108};

// An attribute, or an element of a list, that an input provides when the node runs.
struct LateAttr {
  int32_t field = 0;     // index of the attribute's field
  int32_t element = -1;  // index in a list; -1 for the entire attribute
  int32_t input = 0;     // index of the node's input
  int64_t position = 0;  // index of the input's element, if the attribute is a scalar
};

struct Node {
  // A node has a constant, an operation, or a function; a placeholder has none of these.
  Tensor constant;
  const Op* op = nullptr;
  std::shared_ptr<const NodeFunction> function;

  SavedAttrs attrs;
  InlineVector<Port, 4> inputs;  // of the operation, followed by those that provide attributes
  int32_t num_op_inputs = 0;
  std::vector<LateAttr> late;
  TensorList outputs;  // symbolic
  // Nodes that run before this one whenever it runs, although it reads none of their outputs.
  std::vector<NodeId> controls;
  std::string name;
  std::shared_ptr<const std::string> device;  // requested by the program; may be null
  // Objects of the host language: the program's line that added the node, and the graphs it runs.
  std::shared_ptr<void> source;
  std::vector<std::shared_ptr<void>> graphs;

  bool has_effects() const { return function && function->has_effects(); }
  std::span<const VariableRef> variables() const {
    return function ? function->variables() : std::span<const VariableRef>();
  }
  const char* type() const;
};

// A tensor from outside that this graph reads, and its placeholder. The tensor belongs to an outer
// graph, or has a value that a tape may watch.
struct Capture {
  Tensor outer;
  Tensor inner;
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  // The kind of the graph: a function, all of whose effects happen when it is called, or a
  // program's graph, of which sessions run the nodes that the fetches need.
  enum class Kind : uint8_t { kFunction, kProgram };

  // `outer` is the graph that is being built at the moment, if any.
  Graph(std::string name, std::shared_ptr<Graph> outer, Kind kind = Kind::kFunction)
      : name_(std::move(name)),
        kind_(kind),
        outer_(kind == Kind::kFunction ? std::move(outer) : nullptr),
        enclosing_(outer_),
        for_program_(outer_ && outer_->for_program_) {}

  const std::string& name() const { return name_; }
  Kind kind() const { return kind_; }
  // Whether this is a program's graph, or the graph of a function that is built inside one.
  bool in_program() const;
  const std::shared_ptr<Graph>& outer() const { return outer_; }
  // Whether this graph was built inside another one, at any depth.
  bool is_inside(const Graph& graph) const;

  Tensor add_placeholder(const TensorSpec& spec, const std::string& name);
  // Adds an input of calls.
  Tensor add_input(const TensorSpec& spec, const std::string& name);
  // Adds a constant, or returns an existing one with the same tensor.
  Tensor add_constant(const Tensor& value, const char* name = "Const");
  // Adds a node; its outputs are symbolic tensors with these specs.
  Node& add(Node node, const SpecList& specs, std::string_view name);

  // Adds an output to a node.
  void add_output(NodeId id, const TensorSpec& spec);

  // The port of a tensor in this graph. A tensor from outside is captured if it belongs to an outer
  // graph, or if tapes may watch it; other values become constants. Throws if the tensor belongs to
  // another graph.
  Port port_of(const Tensor& tensor);
  // Whether a tensor with a value is captured, because a program may compute gradients with respect
  // to it. Sessions and devices run without tapes: their graphs have constants instead.
  bool captures_value(const Tensor& tensor) const {
    const bool is_program = kind_ == Kind::kProgram || (for_program_ && !outer_);
    return !is_program && tensor.impl()->exposed() && is_differentiable(tensor.dtype());
  }

  // Adds a placeholder for a tensor from outside.
  Tensor add_capture(const Tensor& outer, const TensorSpec& spec);
  // The capture with this placeholder; null for other tensors.
  const Capture* capture_of(const Tensor& inner) const;

  // Nodes that are added between these two calls have control inputs; with `alone`, only these,
  // without those of enclosing scopes.
  void begin_controls(std::vector<NodeId> controls, bool alone);
  void end_controls();

  // Whether the graph will become a device's program. Then the specs of its lists are inferred, and
  // gradients of its conditionals and loops are conditionals and loops.
  bool for_program() const { return for_program_; }
  void set_for_program() { for_program_ = true; }

  // Adds to the prefix of names of the nodes that are added now; returns what was added before.
  std::string set_scope(std::string scope) { return std::exchange(scope_, std::move(scope)); }

  // The name of a node that is the gradient of another one: its own, or that of a scope for all of
  // the gradient's nodes, which `gradients` opens.
  std::string name_of_gradient(const std::string& node) const;

  // Whether the graph only finds out shapes and dtypes, and never runs. It captures what is out of
  // scope, too: the same call may run later, together with that which gives it.
  void set_scratch() { scratch_ = true; }

  // The device that the program requests for nodes that are added now; empty for any device.
  const std::string& device() const { return device_ ? *device_ : no_device; }
  void set_device(const std::string& name) {
    device_ = name.empty() ? nullptr : std::make_shared<const std::string>(name);
  }

  // The devices of the replicas whose operations the graph contains; empty if there are no
  // replicas.
  std::span<const DeviceId> replicas() const { return replicas_; }
  void set_replicas(std::span<const DeviceId> devices) {
    replicas_.assign(devices.begin(), devices.end());
  }

  // Returns the device of a node that was just added; empty if the program has no such function.
  std::function<std::string(NodeId)> device_function;

  // The number of changes to existing nodes: additional outputs, or other controls.
  int64_t changes() const { return changes_; }
  void note_change() { ++changes_; }

  // Rejects further nodes, or accepts them again.
  void set_closed(bool closed) { closed_ = closed; }

  // Ends the tracing, and forgets the outer graph. Outputs become tensors of this graph.
  void finish(std::span<const Tensor> outputs);
  bool finished() const { return finished_; }

  std::span<const Tensor> inputs() const { return inputs_; }
  std::span<const Capture> captures() const { return captures_; }
  std::span<const Tensor> outputs() const { return outputs_; }

  NodeId size() const { return static_cast<NodeId>(nodes_.size()); }
  Node& node(NodeId id) { return nodes_[static_cast<size_t>(id)]; }
  const Node& node(NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  const Tensor& tensor(Port port) const {
    return node(port.node).outputs[static_cast<size_t>(port.output)];
  }

  // The host language's object for this graph; null once that has been freed.
  void* owner = nullptr;

  // Returns a name that no other node has: "add", then "add_1", after this thread's prefix of
  // names. A name that ends in a slash is complete: this function returned it earlier.
  std::string unique_name(std::string_view name, bool with_prefix = true, bool mark = true);

 private:
  // The properties of the nodes that are added in one scope of controls.
  struct ControlScope {
    std::vector<NodeId> controls;
    bool alone;
    std::unordered_set<NodeId> nodes;  // added within the scope
  };
  void add_controls(Node& node);

  inline static const std::string no_device;
  std::string name_;
  Kind kind_;
  std::shared_ptr<Graph> outer_;
  std::weak_ptr<Graph> enclosing_;  // the same, even after the end of tracing
  std::deque<Node> nodes_;          // addresses of nodes stay valid
  std::vector<Tensor> inputs_;
  std::vector<Capture> captures_;
  std::vector<Tensor> outputs_;
  std::unordered_map<const TensorImpl*, Port> known_;  // ports of constants and captures
  std::unordered_map<std::string, int> names_;         // in lower case
  std::vector<ControlScope> control_scopes_;
  std::vector<DeviceId> replicas_;
  std::shared_ptr<const std::string> device_;
  std::string scope_;
  int64_t changes_ = 0;
  bool finished_ = false;
  bool closed_ = false;
  bool for_program_ = false;
  bool scratch_ = false;
};

using GraphPtr = std::shared_ptr<Graph>;

// The number of graphs, and of interruptions of their building, that all threads have begun.
// Programs without graphs pay for one comparison.
inline std::atomic<int64_t> graphs_begun = 0;
Graph* innermost();
// Sets the graph for operations of threads that build no graph themselves; null runs operations.
void set_default_graph(std::shared_ptr<Graph> graph);
// The graph to which this thread's operations are added; null if they run.
inline Graph* building() {
  return graphs_begun.load(std::memory_order_relaxed) == 0 ? nullptr : innermost();
}

GraphPtr building_ptr();
// Whether this thread builds the graph of a function, even if operations run at the moment.
bool inside_graph();

// During its lifetime, adds this thread's operations to the graph; null runs them.
class Building {
 public:
  explicit Building(GraphPtr graph);
  ~Building();
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;
};
void begin_building(GraphPtr graph);
void end_building();

// Runs a check of arguments. While a graph is built, its error is a TypeError; TensorFlow's eager
// calls raise InvalidArgument.
template <class Check>
void with_type_errors(const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    if (!building() || error.code() != Code::kInvalidArgument) throw;
    throw Error(Code::kTypeError, error.what());
  }
}

// Throws if a symbolic tensor belongs to a graph: operations that run cannot read its value.
void refuse_out_of_scope(const Tensor& tensor);

// Throws an error: `what` needs a value, but a symbolic tensor has a value only while its graph
// runs.
[[noreturn]] void refuse_reading(const Tensor& tensor, Code code, const char* what);
// "(2, None)".
std::string python_text(const Shape& shape);
// "<tf.Tensor 'add:0' shape=(2, None) dtype=float32>".
std::string describe(const Tensor& tensor);

// Set by the bindings: returns the program's current position, for messages.
extern std::shared_ptr<void> (*find_source)();
// Set by the bindings: returns a position as text, as in a traceback.
extern std::string (*describe_source)(const std::shared_ptr<void>& source);
// Set by the bindings: returns the prefix of names, such as "encoder/".
extern std::string (*name_prefix)();

}  // namespace ef::graph
