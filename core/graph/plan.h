// A plan: the nodes that a run of a graph needs, in order, with the slots of their values.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "graph/chains.h"
#include "graph/fusions.h"
#include "graph/graph.h"
#include "tensor/tensor_spec.h"

namespace ef::graph {

class Attention;

// How many inputs a step may have that runs without the dispatch.
constexpr size_t kMostDirectInputs = 8;

// Runs a node other than a placeholder on values.
void run_node(const Node& node, std::span<const Tensor> inputs, TensorList& outputs);

// The node that this thread runs, for observers of operations; null if it runs none.
const Node* running_node();

// The nodes that threw the exception that is being handled on this thread: the innermost one, then
// the nodes that run its graph. A call also clears the list.
using FailedNodes = std::vector<const Node*>;
FailedNodes taken_failed_nodes();

class Plan {
 public:
  // The nodes that a session runs besides the producers of results, and the tensors that it feeds.
  struct Selection {
    std::span<const NodeId> targets;  // nodes that have to run
    std::span<const Port> feeds;      // tensors whose values are arguments of the run
  };
  struct Options {
    bool all_effects = true;      // otherwise only effects that results need
    bool keeps_captures = false;  // whether values of captures stay from one run to the next
    const Selection* selection = nullptr;
  };
  // Plans the computation of these results. The graph must live as long as the plan. Throws
  // InvalidArgument if a session needs a placeholder that it does not feed.
  Plan(const Graph& graph, std::span<const Tensor> results) : Plan(graph, results, Options()) {}
  Plan(const Graph& graph, std::span<const Tensor> results, Options options);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // The number of steps; fused nodes are one step.
  size_t size() const { return steps_.size(); }

  // Whether results depend on one of the arguments.
  bool needs_argument(size_t index) const { return arguments_[index].slot >= 0; }

  // `arguments` are the values of the graph's inputs, then of its captures. Captures may be omitted
  // if all have values of their own. Throws the errors of operations; taken_failed_nodes() returns
  // the nodes.
  void run(std::span<const Tensor> arguments, TensorList& results) const;
  // The same, but may overwrite the arguments.
  void consume(std::span<Tensor> arguments, TensorList& results) const;

 private:
  friend class PlanRun;

  struct Input {
    int32_t slot;
    bool last = false;         // nothing reads the slot later
    bool from_outside = true;  // no step fills the slot
    const Shape* shape;        // as known while tracing
  };
  struct ByImages;
  struct Step {
    const Node* node;
    int32_t first_slot;
    bool overwrites = false;  // the node is elementwise: its result may reuse an input's memory
    // Elementwise, and only the next step reads a result, whose kernel takes deferred values.
    bool deferred = false;
    bool calls_host = false;  // such nodes must not run with subnormals flushed to zero
    // For fused nodes: the single steps, for runs that cannot fuse them. All other members then
    // describe the combined step.
    std::unique_ptr<const NodeChain> chain;
    std::unique_ptr<const Fusion> fusion;
    std::unique_ptr<const Attention> attention;
    bool adds_part = false;  // the members are a gradient of a slice and a sum; see part_sums.h
    std::vector<Step> members;
    std::unique_ptr<const ByImages> by_images;
    // The first members compute a value that another combined step may have stored in this slot.
    size_t recomputing = 0;
    int32_t recomputed = -1;
    InlineVector<int32_t, 2> chain_outputs;  // their slots
    // All sizes are known, and arrays are small. If inputs have their static shapes, the kernel
    // writes results of `specs`, without checks and without releasing Python's lock.
    bool direct = false;
    SpecList specs;
    InlineVector<Input, 4> inputs;
    InlineVector<int32_t, 4> unused;  // slots of results that nothing reads
  };
  // A slot that a run fills or returns; -1 if it has no reader.
  struct End {
    int32_t slot = -1;
    bool last = true;  // no later result is in this slot, so its value may be moved
  };
  using Slots = std::vector<Tensor>;

  // The slots of the values of ports.
  struct Sources {
    std::vector<int32_t> first_slots;  // of each node's outputs
    std::vector<std::pair<Port, int32_t>> fed;
    int32_t slot_of(const Port& port) const;
  };
  void add_step(const Graph& graph, NodeId id, const Sources& sources);
  class SharedSteps;
  SlotFacts slot_facts() const;
  std::vector<NodeSlots> views() const;
  void pool_first(std::vector<DType>& types);
  void join_attention(std::vector<DType>& types);
  Step copy_of(const Step& step) const;
  void join_products();
  void join_part_sums();
  void join_part_updates();
  bool faster_one_by_one(std::span<const size_t> steps) const;
  void share_steps();
  void read_repeated(std::vector<DType>& types);
  std::optional<Input> repeated_by(const Step& step, std::vector<DType>& types);
  void join_elementwise(std::span<const DType> types);
  void join_by_images();
  void join_by_images(std::span<const size_t> found, int64_t images, const SlotFacts& facts,
                      std::span<char> joined);
  void find_deferred();
  NodeSlots slots_of(const Step& step) const;
  void drop(std::span<const char> joined);
  void find_last_uses(bool keeps_captures);
  void leave_out_unread();
  void find_too_large();

  std::vector<std::unique_ptr<const Node>> own_nodes_;  // nodes that replace nodes of the graph
  std::vector<Step> steps_;
  std::vector<std::pair<int32_t, Tensor>> constants_;  // slots and their values
  std::vector<Tensor> captured_;                       // values of captures; empty if symbolic
  std::vector<End> arguments_;
  std::vector<End> results_;
  size_t num_inputs_ = 0;  // arguments that are not captures
  int32_t num_slots_ = 0;
  const Node* too_large_ = nullptr;             // it has a result that no memory could hold
  mutable std::atomic<Slots*> spare_{nullptr};  // slots of an earlier run, with the constants
};

// The plan of some of a graph's results, made when it first runs.
class PartialPlan {
 public:
  // `read` marks the results.
  PartialPlan(const Graph& graph, std::span<const char> read);
  // Runs the plan; leaves the other results empty.
  void consume(std::span<Tensor> arguments, TensorList& results) const;

 private:
  const Graph& graph_;
  std::vector<size_t> read_;
  mutable std::once_flag once_;
  mutable std::optional<Plan> plan_;
};

// One run of a plan, or several in sequence.
class PlanRun {
 public:
  explicit PlanRun(const Plan& plan);
  ~PlanRun();
  PlanRun(const PlanRun&) = delete;
  PlanRun& operator=(const PlanRun&) = delete;

  // Sets the value of an input or capture.
  void set(size_t argument, Tensor value) {
    const int32_t slot = plan_.arguments_[argument].slot;
    if (slot < 0) return;
    Tensor& held = slots_[static_cast<size_t>(slot)];
    if (argument >= plan_.num_inputs_) {
      if (held.impl() == value.impl()) return;
      gives_captures_ = true;
    }
    held = std::move(value);
  }
  void run();
  const Tensor& result(size_t k) const {
    return slots_[static_cast<size_t>(plan_.results_[k].slot)];
  }
  // Moves a result out; each result only once.
  Tensor take(size_t k);

 private:
  struct Mode {
    bool watched, elsewhere, profiled;
  };
  void run_step(const Plan::Step& step, Mode mode, const Node*& node);
  bool run_directly(const Plan::Step& step);
  void run_in_general(const Plan::Step& step, bool defers);
  bool run_chain(const Plan::Step& step);
  bool run_fusion(const Plan::Step& step);
  bool run_attention(const Plan::Step& step);
  bool run_part_sum(const Plan::Step& step);
  bool run_by_images(const Plan::Step& step);
  bool run_joined(const Plan::Step& step);
  void run_members(const Plan::Step& step, const Node*& running);

  const Plan& plan_;
  std::unique_ptr<Plan::Slots> own_;
  Tensor* slots_;
  bool done_ = true;
  bool gives_captures_ = false;  // whether the captures' values differ from the plan's
};

}  // namespace ef::graph
