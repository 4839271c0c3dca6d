// Programs of StableHLO for operations and graphs.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eager/variable_ref.h"
#include "graph/graph.h"

namespace ef::lower {

// The program of an operation.
struct OperationProgram {
  std::string text;
  // One more result for each message, a boolean: whether the operation fails with it.
  std::vector<std::string> refusals;
};

// The program of one operation. Its parameters are its inputs, then, as int64 scalars, the
// attributes that `late` names, like Call::late. With `overwrites`, the result takes over the
// memory of the first input. Throws Unimplemented if programs do not support the operation, or not
// for these dtypes.
OperationProgram program_of(const Op& op, std::span<const TensorSpec> inputs, AttrsRef attrs,
                            std::span<const TensorSpec> outputs,
                            std::span<const std::string> late = {}, bool overwrites = false);

// The program of a graph.
struct Program {
  std::string text;
  // Parameters: `arguments` are indices of the graph's inputs; then values of variables, then large
  // constants.
  std::vector<size_t> arguments;
  std::vector<VariableRef> variables;
  TensorList constants;
  // Results: outputs of the graph, as indices among them; then values for nodes of the host; then
  // the last values of changed variables, as indices among `variables`.
  SpecList results;
  std::vector<size_t> outputs;
  std::vector<graph::Port> for_host;
  std::vector<size_t> changed;
};

// `later` are nodes of the host that run after the program. All shapes must be known. Throws
// Unimplemented if a node has no program.
Program program_of(const graph::Graph& graph, std::span<const graph::NodeId> later);

// The program of a graph without variables. Its first outputs take over the memory of these inputs.
Program program_over(const graph::Graph& graph, std::span<const size_t> inputs);

// The program of a graph of replicas, which each of them runs on its device.
struct ReplicatedProgram {
  // The source of a parameter on a device: an argument of the graph, a part of one that a node
  // cuts, a known value, or a variable.
  struct Source {
    size_t input = 0;
    graph::NodeId part = -1;
    Tensor known;
    VariableRef variable;
  };
  std::string text;
  std::vector<std::vector<Source>> parameters;  // for each the sources of all replicas
  SpecList results;
  // Outputs of the graph, then values for nodes of the host: the index of the result, and its
  // replica.
  std::vector<std::pair<size_t, size_t>> places;
  std::vector<graph::Port> for_host;
  std::vector<std::pair<size_t, size_t>> changed;  // variables' parameters, and their last values
};

// Throws Unimplemented if a node has no program, or if the replicas' operations differ.
ReplicatedProgram replicated_program(const graph::Graph& graph,
                                     std::span<const graph::NodeId> later);

// The operations of a graph that programs do not support, by name, without duplicates.
std::vector<std::string> missing_in(const graph::Graph& graph);

}  // namespace ef::lower
