// What a node does that is no operation of the table: variables, calls of Python and of graphs,
// control flow, gradients.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "eager/variable.h"
#include "ops/op.h"

namespace ef {
class Tape;
class Variable;
}  // namespace ef

namespace ef::graph {

class Graph;

class NodeFunction : public std::enable_shared_from_this<NodeFunction> {
 public:
  virtual ~NodeFunction() = default;
  // TensorFlow's name of the operation: "ReadVariableOp".
  virtual const char* type() const = 0;
  // Whether it does more than return values: such nodes run although nobody needs their results.
  virtual bool has_effects() const { return false; }
  // Whether it may run code of the host language, whose lock the thread then has to hold.
  virtual bool needs_host() const { return true; }
  // The graphs that it runs.
  virtual std::vector<const Graph*> graphs() const { return {}; }
  // The variables that it reads or changes itself.
  virtual std::span<const VariableRef> variables() const { return {}; }
  // Pairs of variables of the graph that it calls, and those that it uses in their place.
  virtual std::span<const std::pair<VariableRef, VariableRef>> exchanged() const { return {}; }
  // For each graph, which inputs of the node its captures are.
  virtual std::vector<std::vector<size_t>> captures() const { return {}; }
  // The seeds of a stream of random numbers.
  virtual std::vector<int64_t> seeds() const { return {}; }
  // Runs on values, by operations that tapes record.
  virtual void run(std::span<const Tensor> inputs, TensorList& outputs) const = 0;
  // The same on values that nothing else reads, unless they have other handles: they may be taken.
  virtual void consume(std::span<Tensor> inputs, TensorList& outputs) const {
    run(inputs, outputs);
  }

  // Adds to the graph that is being built what a run would do, with what is known of these inputs
  // (graph/specialize.h). By default the operations that it runs.
  virtual void retrace(Graph& /*graph*/, std::span<const Tensor> inputs,
                       TensorList& outputs) const {
    run(inputs, outputs);
  }

  // The variables that graphs inside read.
  virtual std::vector<Variable*> reads() const { return {}; }
  // Whether its results may change with small changes of a source. Sources are the inputs, then
  // the variables that it reads.
  virtual bool connects(size_t /*source*/) const { return true; }
  // The dtype of the indices if the gradient with respect to a source is always one of rows
  // (IndexedSlices); else kInvalid.
  virtual DType row_indices(size_t /*source*/) const { return DType::kInvalid; }
  // Records on tapes how the outputs, symbolic or not, come from the inputs; false if that is found
  // by running it under a tape.
  virtual bool record(std::span<Tape* const> /*tapes*/, std::span<const Tensor> /*inputs*/,
                      std::span<const Tensor> /*outputs*/) const {
    return false;
  }
};

}  // namespace ef::graph
