// What a node does that is no operation of the table: variables, calls of Python and of graphs,
// control flow, gradients.
#pragma once

#include <span>
#include <vector>

#include "eager/variable.h"
#include "ops/op.h"

namespace ef::graph {

class Graph;

class NodeFunction {
 public:
  virtual ~NodeFunction() = default;
  // TensorFlow's name of the operation: "ReadVariableOp".
  virtual const char* type() const = 0;
  // Whether it does more than return values: such nodes run although nobody needs their results.
  virtual bool has_effects() const { return false; }
  // The graphs that it runs.
  virtual std::vector<const Graph*> graphs() const { return {}; }
  // The variables that it reads or changes itself.
  virtual std::span<const VariableRef> variables() const { return {}; }
  // Runs on values, by operations that tapes record.
  virtual void run(std::span<const Tensor> inputs, TensorList& outputs) const = 0;
  // The same on values that nothing else reads, unless they have other handles: they may be taken.
  virtual void consume(std::span<Tensor> inputs, TensorList& outputs) const {
    run(inputs, outputs);
  }
};

}  // namespace ef::graph
