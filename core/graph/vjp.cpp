// Nodes that differentiate another node.
#include "graph/vjp.h"

#include <memory>
#include <utility>
#include <vector>

#include "eager/dispatch.h"
#include "eager/tape.h"
#include "graph/plan.h"
#include "graph/record.h"
#include "ops/compose.h"
#include "ops/elementwise.h"

namespace ef::graph {
namespace {

// Runs a node again under a tape of its own, and goes back from its outputs to some of its inputs.
// Inputs: those of the node, then the gradients of some of its outputs.
class Vjp final : public NodeFunction {
 public:
  Vjp(Node node, std::vector<int32_t> wanted, std::vector<int32_t> given)
      : node_(std::move(node)), wanted_(std::move(wanted)), given_(std::move(given)) {}

  const char* type() const override { return "Gradient"; }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    const size_t count = node_.inputs.size();
    // Inputs may be one tensor, whose gradients are apart here.
    TensorList own;
    std::vector<uint64_t> sources;
    for (const Tensor& input : inputs.first(count)) own.push_back(call(ops::identity, {input}));
    Tape* const tape = new Tape({.persistent = false, .watch_accessed = false});
    const std::unique_ptr<Tape, void (*)(Tape*)> release(tape, [](Tape* t) {
      pop_tape(t);
      t->release();
    });
    push_tape(tape);
    for (const int32_t i : wanted_) {
      tape->watch(own[static_cast<size_t>(i)]);
      sources.push_back(own[static_cast<size_t>(i)].impl()->id());
    }
    TensorList results;
    run_node(node_, own, results);
    pop_tape(tape);
    std::vector<Tensor> targets, weights;
    for (size_t k = 0; k < given_.size(); ++k) {
      targets.push_back(results[static_cast<size_t>(given_[k])]);
      weights.push_back(inputs[count + k]);
    }
    const std::vector<Gradient> gradients = tape->gradient(targets, weights, sources);
    for (size_t k = 0; k < wanted_.size(); ++k) {
      const Tensor& source = own[static_cast<size_t>(wanted_[k])];
      outputs.push_back(gradients[k] ? densify(gradients[k]) : zeros_like(source));
    }
  }

 private:
  Node node_;
  std::vector<int32_t> wanted_;
  std::vector<int32_t> given_;
};

class VjpRecord final : public BackwardFunction {
 public:
  VjpRecord(GraphPtr graph, NodeId id) : graph_(std::move(graph)), id_(id) {}

  bool takes_missing() const override { return true; }

  std::vector<Gradient> run(std::span<const Tensor> dy) override {
    const Node& node = graph_->node(id_);
    Node copy;
    copy.op = node.op;
    copy.function = node.function;
    copy.attrs = node.attrs;
    copy.late = node.late;
    copy.inputs = node.inputs;
    copy.num_op_inputs = node.num_op_inputs;
    TensorList inputs;
    for (const Port& port : node.inputs) inputs.push_back(graph_->tensor(port));
    std::vector<int32_t> wanted, given;
    SpecList specs;
    for (int32_t i = 0; i < node.num_op_inputs; ++i) {
      const Tensor& input = inputs[static_cast<size_t>(i)];
      if (!is_differentiable(input.dtype())) continue;
      wanted.push_back(i);
      specs.push_back({input.dtype(), input.shape()});
    }
    for (size_t j = 0; j < dy.size(); ++j) {
      if (!dy[j]) continue;
      given.push_back(static_cast<int32_t>(j));
      inputs.push_back(dy[j]);
    }
    std::vector<Gradient> gradients(static_cast<size_t>(node.num_op_inputs));
    Graph* const current = building();
    if (wanted.empty() || given.empty() || !current) return gradients;
    const TensorList results = add_function(
        *current, std::make_shared<Vjp>(std::move(copy), wanted, given), inputs, specs, "gradient");
    for (size_t k = 0; k < wanted.size(); ++k) {
      gradients[static_cast<size_t>(wanted[k])].values = results[k];
    }
    return gradients;
  }

 private:
  GraphPtr graph_;
  NodeId id_;
};

}  // namespace

void record_vjp(Graph& graph, NodeId id, std::span<const Tensor> inputs) {
  std::vector<uint64_t> ids;
  for (const Tensor& input : inputs) {
    ids.push_back(is_differentiable(input.dtype()) ? input.impl()->id_or_zero() : 0);
  }
  const auto backward = std::make_shared<VjpRecord>(graph.shared_from_this(), id);
  for (Tape* tape : active_tapes()) tape->record(backward, ids, graph.node(id).outputs);
}

}  // namespace ef::graph
