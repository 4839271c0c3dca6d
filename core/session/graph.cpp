// Adding nodes to graphs.
#include "session/graph.h"

#include <utility>

#include "tensor/error.h"

namespace ef::session {

NodeId Graph::add(Node added) {
  for (const Port& input : added.inputs) node(input.node);
  for (const NodeId control : added.controls) node(control);
  nodes_.push_back(std::move(added));
  return size() - 1;
}

Node& Graph::node(NodeId id) {
  if (id < 0 || id >= size()) fail(Code::kValueError, "Node ", id, " is not part of this graph.");
  return nodes_[static_cast<size_t>(id)];
}

const PartialSpec& Graph::spec(Port port) const {
  const std::vector<PartialSpec>& outputs = node(port.node).outputs;
  if (port.output < 0 || static_cast<size_t>(port.output) >= outputs.size()) {
    fail(Code::kValueError, "Operation '", node(port.node).name, "' has ", outputs.size(),
         " outputs, and no number ", port.output, ".");
  }
  return outputs[static_cast<size_t>(port.output)];
}

void Graph::set_program(NodeId id, Program program) {
  Node& changed = node(id);
  changed.outputs.resize(program.results.size());
  changed.program = std::move(program);
  changed.kind = Kind::kProgram;
}

const std::vector<PartialSpec>& Graph::infer(NodeId id) {
  Node& changed = node(id);
  std::vector<PartialSpec> inputs;
  for (const Port& input : changed.inputs) inputs.push_back(spec(input));
  changed.outputs = changed.program.infer(inputs);
  return changed.outputs;
}

std::string Graph::describe(NodeId id) const {
  const Node& described = node(id);
  std::string text = cat("In operation '", described.name, "' of type ", described.type);
  if (!described.source.file.empty()) {
    text += cat(", made at:\n  File \"", described.source.file, "\", line ", described.source.line,
                ", in ", described.source.function);
  }
  return text;
}

}  // namespace ef::session
