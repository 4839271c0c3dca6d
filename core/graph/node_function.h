// The function of a node that is not an operation of the op table: variables, calls of Python and
// of graphs, control flow, gradients.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "eager/variable_ref.h"
#include "tensor/tensor_list.h"

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
  // Whether it does more than return values: such nodes run even if nothing reads their results.
  virtual bool has_effects() const { return false; }
  // Whether it may run code of the host language, for which the thread has to hold its lock.
  virtual bool needs_host() const { return true; }
  // The graphs that it runs.
  virtual std::vector<const Graph*> graphs() const { return {}; }
  // The variables that it reads or changes itself.
  virtual std::span<const VariableRef> variables() const { return {}; }
  // Pairs of a variable of the called graph and the variable that replaces it in this call.
  virtual std::span<const std::pair<VariableRef, VariableRef>> exchanged() const { return {}; }
  // For each graph, the indices of the node's inputs that are the graph's captures.
  virtual std::vector<std::vector<size_t>> captures() const { return {}; }
  // Whether each run may return other values although the inputs are equal: it draws random values.
  virtual bool draws() const { return false; }
  // The seeds of a stream of random numbers.
  virtual std::vector<int64_t> seeds() const { return {}; }
  // Runs on values, by operations that tapes record.
  virtual void run(std::span<const Tensor> inputs, TensorList& outputs) const = 0;
  // The same for values without other readers: inputs without other handles may be overwritten.
  virtual void consume(std::span<Tensor> inputs, TensorList& outputs) const {
    run(inputs, outputs);
  }

  // A function in place of this one for runs of which only these results are read; it may leave the
  // others empty. Null if that saves nothing.
  virtual std::shared_ptr<const NodeFunction> returning(std::span<const char> /*read*/) const {
    return nullptr;
  }

  // Adds the nodes of a run to the graph that is being built, using facts about these inputs
  // (graph/specialize.h). By default these are the operations that it runs.
  virtual void retrace(Graph& /*graph*/, std::span<const Tensor> inputs,
                       TensorList& outputs) const {
    run(inputs, outputs);
  }

  // The variables that the graphs inside it read.
  virtual std::vector<Variable*> reads() const { return {}; }
  // Whether its results may be differentiable with respect to a source. Sources are the inputs,
  // then the variables that it reads.
  virtual bool connects(size_t /*source*/) const { return true; }
  // The dtype of the indices if the gradient with respect to a source always consists of rows
  // (IndexedSlices); else kInvalid.
  virtual DType row_indices(size_t /*source*/) const { return DType::kInvalid; }
  // Records on tapes how the outputs, symbolic or not, depend on the inputs. Returns false if a
  // tape can record the function only while it runs.
  virtual bool record(std::span<Tape* const> /*tapes*/, std::span<const Tensor> /*inputs*/,
                      std::span<const Tensor> /*outputs*/) const {
    return false;
  }
};

}  // namespace ef::graph
