// Running graphs as programs.
#include "lower/compiled.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "device/devices.h"
#include "eager/device_backend.h"
#include "eager/dispatch.h"
#include "eager/variable.h"
#include "graph/control_flow.h"
#include "graph/specialize.h"
#include "graph/variables.h"
#include "graph/vjp.h"
#include "lower/plugin_device.h"
#include "lower/program_cache.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

using graph::Graph;
using graph::GraphPtr;
using graph::Node;
using graph::NodeId;
using graph::Port;

bool same_specs(std::span<const TensorSpec> specs, std::span<const Tensor> tensors) {
  if (specs.size() != tensors.size()) return false;
  for (size_t k = 0; k < specs.size(); ++k) {
    if (specs[k].dtype != tensors[k].dtype() || specs[k].shape != tensors[k].shape()) return false;
  }
  return true;
}

SpecList specs_of(std::span<const Tensor> tensors) {
  SpecList specs;
  for (const Tensor& tensor : tensors) specs.push_back({tensor.dtype(), tensor.shape()});
  return specs;
}

// Whether only the host can run a node: programs support neither its operation nor its function.
bool is_of_host(const Node& node) {
  graph::Change change;
  return node.function && !graph::read_by(node) && !graph::assigned_by(node, change) &&
         !graph::is_choice(node) && !graph::loop_of(node) && !graph::differentiated_operation(node);
}

bool is_known(const Tensor& tensor) { return static_cast<bool>(symbol_of(tensor)->value()); }

// The nodes of the host that do not depend on the program.
std::vector<NodeId> first_nodes(const Graph& graph) {
  std::vector<char> early(static_cast<size_t>(graph.size()));
  std::vector<NodeId> nodes;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    const bool of_host = is_of_host(node);
    if (node.op || (node.function && !of_host)) continue;
    const bool ready = std::ranges::all_of(node.inputs, [&](const Port& port) {
      return early[static_cast<size_t>(port.node)] || is_known(graph.tensor(port));
    });
    if (!ready) continue;
    early[static_cast<size_t>(id)] = 1;
    if (of_host) nodes.push_back(id);
  }
  return nodes;
}

std::vector<NodeId> host_nodes(const Graph& graph) {
  std::vector<NodeId> nodes;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (is_of_host(graph.node(id))) nodes.push_back(id);
  }
  return nodes;
}

// The values of nodes of the host as they run.
class HostRun {
 public:
  explicit HostRun(const Graph& graph) : graph_(graph), values_(size_t(graph.size())) {}

  void set(const Port& port, const Tensor& value) {
    TensorList& list = values_[static_cast<size_t>(port.node)];
    while (list.size() <= static_cast<size_t>(port.output)) list.push_back({});
    list[static_cast<size_t>(port.output)] = value;
  }
  void run(NodeId id) {
    const Node& node = graph_.node(id);
    TensorList inputs;
    for (const Port& port : node.inputs) inputs.push_back(get(port));
    graph::run_node(node, inputs, values_[static_cast<size_t>(id)]);
  }
  Tensor get(const Port& port) const {
    const TensorList& list = values_[static_cast<size_t>(port.node)];
    const auto at = static_cast<size_t>(port.output);
    if (at < list.size() && list[at]) return list[at];
    return symbol_of(graph_.tensor(port))->value();
  }
  const TensorList& outputs(NodeId id) const { return values_[static_cast<size_t>(id)]; }

 private:
  const Graph& graph_;
  std::vector<TensorList> values_;
};

// Runs the nodes of the host that depend on results of the program, which are `ports`.
HostRun run_later(const Graph& graph, std::span<const NodeId> later,
                  std::span<const Tensor> arguments, std::span<const Port> ports,
                  std::span<const Tensor> results) {
  HostRun host(graph);
  for (size_t k = 0; k < arguments.size(); ++k) {
    host.set(symbol_of(graph.inputs()[k])->port(), arguments[k]);
  }
  for (size_t k = 0; k < ports.size(); ++k) host.set(ports[k], results[k]);
  for (const NodeId id : later) host.run(id);
  return host;
}

// Raises the reason why a function has no program.
[[noreturn]] void refuse_to_compile(const Graph& graph, const Error& error) {
  std::string names;
  for (const std::string& name : missing_in(graph)) names += (names.empty() ? "" : ", ") + name;
  invalid_argument("The function '", graph.name(), "' cannot be compiled: ", error.what(),
                   names.empty() ? "" : cat(". Operations that programs do not have: ", names),
                   ". Leave out jit_compile=True, or compile a part of it that does without.");
}

}  // namespace

// Raises the reason why there is no program, unless the function may run without.
void CompiledFunction::cannot_compile(const Graph& graph, const Error& error) const {
  if (error.code() != Code::kUnimplemented) throw;
  if (otherwise_ == Otherwise::kThrow) refuse_to_compile(graph, error);
}

std::string program_text(const Graph& graph, std::span<const TensorSpec> arguments) {
  try {
    const graph::GraphPtr known = graph::specialized(graph, arguments);
    if (!first_nodes(*known).empty()) {
      fail(Code::kUnimplemented, "the host computes values that the program reads");
    }
    graph::require_sizes(*known);
    return program_of(*known, host_nodes(*known)).text;
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented) throw;
    refuse_to_compile(graph, error);
  }
}

// A thread that has this lock may wait for Python's, so no thread waits for this one with Python's.
std::unique_lock<std::mutex> CompiledFunction::locked() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) {
    const KernelRegion released(1e9);
    lock.lock();
  }
  return lock;
}

CompiledFunction::Trace& CompiledFunction::trace_for(std::span<const Tensor> arguments) {
  for (const auto& trace : traces_) {
    if (same_specs(trace->arguments, arguments)) return *trace;
  }
  auto trace = std::make_unique<Trace>();
  trace->arguments = specs_of(arguments);
  try {
    trace->graph = graph::specialized(*graph_, trace->arguments);
  } catch (const Error& error) {
    cannot_compile(*graph_, error);
    trace->plan = std::make_unique<graph::Plan>(*graph_, graph_->outputs());
    return *traces_.emplace_back(std::move(trace));
  }
  trace->before = first_nodes(*trace->graph);
  return *traces_.emplace_back(std::move(trace));
}

std::unique_ptr<CompiledFunction::Unit> CompiledFunction::compile(const Trace& trace,
                                                                  std::span<const Tensor> arguments,
                                                                  std::span<const Tensor> given) {
  auto unit = std::make_unique<Unit>();
  unit->given = specs_of(given);
  unit->graph = trace.graph;
  if (!trace.before.empty()) {
    std::vector<Port> ports;
    for (const NodeId id : trace.before) {
      const size_t count = trace.graph->node(id).outputs.size();
      for (size_t k = 0; k < count; ++k) ports.push_back({id, static_cast<int32_t>(k)});
    }
    unit->graph =
        graph::specialized(*trace.graph, specs_of(arguments), trace.before, ports, unit->given);
  }
  unit->later = host_nodes(*unit->graph);
  if (compile_replicas(*unit)) {
    ++compiled_;
    return unit;
  }
  try {
    graph::require_sizes(*unit->graph);
    unit->program = program_of(*unit->graph, unit->later);
  } catch (const Error& error) {
    cannot_compile(*unit->graph, error);
    unit->plan = std::make_unique<graph::Plan>(*unit->graph, unit->graph->outputs());
    return unit;
  }
  unit->executable = compiled_program(client_, unit->program.text, unit->program.results);
  ++compiled_;
  for (const Tensor& constant : unit->program.constants) {
    unit->constants.push_back(client_.to_device(constant, device_));
  }
  return unit;
}

CompiledFunction::Unit& CompiledFunction::unit_for(Trace& trace, std::span<const Tensor> arguments,
                                                   std::span<const Tensor> given) {
  for (const auto& unit : trace.units) {
    if (same_specs(unit->given, given)) return *unit;
  }
  return *trace.units.emplace_back(compile(trace, arguments, given));
}

void CompiledFunction::run(std::span<const Tensor> arguments, TensorList& outputs) {
  Trace* trace = nullptr;
  {
    const std::unique_lock lock = locked();
    trace = &trace_for(arguments);
  }
  if (trace->plan) return trace->plan->run(arguments, outputs);
  TensorList all(arguments);
  if (!trace->before.empty()) {
    HostRun host(*trace->graph);
    for (size_t k = 0; k < arguments.size(); ++k) {
      host.set(symbol_of(trace->graph->inputs()[k])->port(), arguments[k]);
    }
    for (const NodeId id : trace->before) {
      host.run(id);
      for (const Tensor& output : host.outputs(id)) all.push_back(output);
    }
  }
  const auto given = std::span<const Tensor>(all).subspan(arguments.size());
  Unit* unit = nullptr;
  {
    const std::unique_lock lock = locked();
    unit = last_ = &unit_for(*trace, arguments, given);
  }
  if (unit->plan) return unit->plan->run(all, outputs);
  if (unit->replicated) return run_replicas(*unit, all, outputs);
  run_unit(*unit, all, outputs);
}

void CompiledFunction::run_unit(Unit& unit, std::span<const Tensor> arguments,
                                TensorList& outputs) {
  const Program& program = unit.program;
  TensorList inputs;
  for (const size_t k : program.arguments) inputs.push_back(arguments[k]);
  std::vector<char> donated(inputs.size());
  for (const VariableRef& variable : program.variables) inputs.push_back(variable->peek());
  donated.resize(inputs.size());
  for (const size_t k : program.changed) {
    const size_t at = program.arguments.size() + k;
    donated[at] = pjrt::only_of_variable(inputs[at]);
  }
  for (const Tensor& constant : unit.constants) inputs.push_back(constant);
  TensorList results;
  unit.executable->run(inputs, donated, device_, results);
  const DeviceId here = current_device();
  for (const Tensor& result : results) result.impl()->set_device(here);
  const size_t count = program.outputs.size();
  const size_t first = outputs.size();
  const std::span<const Tensor> wanted = unit.graph->outputs();
  for (size_t k = 0; k < wanted.size(); ++k) outputs.push_back({});
  for (size_t k = 0; k < count; ++k) outputs[first + program.outputs[k]] = results[k];
  size_t next = count + program.for_host.size();
  for (const size_t k : program.changed) program.variables[k]->assign(results[next++]);
  if (unit.later.empty()) return;
  TensorList for_host;
  for (size_t k = 0; k < program.for_host.size(); ++k) for_host.push_back(results[count + k]);
  const HostRun host = run_later(*unit.graph, unit.later, arguments, program.for_host, for_host);
  for (size_t k = 0; k < wanted.size(); ++k) {
    Tensor& output = outputs[first + k];
    if (!output) output = host.get(symbol_of(wanted[k])->port());
  }
}

// Compiles the program of replicas, if the function has replicas on devices of this plugin, and
// their operations match.
bool CompiledFunction::compile_replicas(Unit& unit) const {
  if (unit.graph->replicas().size() < 2) return false;
  for (const DeviceId id : unit.graph->replicas()) {
    PluginDevice* const device = plugin_device(id);
    if (!device || &device->client() != &client_) return false;
    // Parts of a device run one program only at a time.
    const auto is_same = [&](int other) {
      return client_.device(other).handle == client_.device(device->index()).handle;
    };
    if (std::ranges::any_of(unit.devices, is_same)) return false;
    unit.devices.push_back(device->index());
  }
  auto program = std::make_unique<ReplicatedProgram>();
  try {
    *program = replicated_program(*unit.graph, unit.later);
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented) throw;
    if (logs_placement()) {
      std::fprintf(stderr, "Function %s runs on one device for all replicas: %s\n",
                   unit.graph->name().c_str(), error.what());
    }
    return false;
  }
  unit.executable = compiled_program(client_, program->text, program->results, unit.devices);
  for (auto& sources : program->parameters) {
    for (size_t k = 0; k < sources.size(); ++k) {
      if (sources[k].known) {
        sources[k].known = client_.to_device(sources[k].known, unit.devices[k]);
      }
    }
  }
  unit.replicated = std::move(program);
  return true;
}

void CompiledFunction::run_replicas(Unit& unit, std::span<const Tensor> arguments,
                                    TensorList& outputs) {
  const ReplicatedProgram& program = *unit.replicated;
  const size_t count = unit.devices.size();
  // Batches are cut on the device that holds them.
  const auto part_of = [&](const Tensor& whole, NodeId node) {
    const DeviceScope there(whole.impl()->device());
    TensorList parts;
    graph::run_node(unit.graph->node(node), {&whole, 1}, parts);
    return parts[0];
  };
  std::vector<TensorList> inputs(count), results(count);
  for (const auto& sources : program.parameters) {
    for (size_t k = 0; k < count; ++k) {
      const auto& source = sources[k];
      inputs[k].push_back(source.variable    ? source.variable->peek()
                          : source.known     ? source.known
                          : source.part >= 0 ? part_of(arguments[source.input], source.part)
                                             : arguments[source.input]);
    }
  }
  std::vector<char> donated(program.parameters.size());
  for (const auto& [parameter, result] : program.changed) {
    // Values that replicas share have other handles.
    donated[parameter] = std::ranges::all_of(
        inputs, [&](const TensorList& own) { return pjrt::only_of_variable(own[parameter]); });
  }
  unit.executable->run_replicas(inputs, donated, unit.devices, results);
  for (size_t k = 0; k < count; ++k) {
    for (const Tensor& result : results[k]) result.impl()->set_device(unit.graph->replicas()[k]);
  }
  const size_t wanted = unit.graph->outputs().size();
  for (size_t k = 0; k < wanted; ++k) {
    const auto [result, replica] = program.places[k];
    outputs.push_back(pjrt::alias(results[replica][result]));
  }
  for (const auto& [parameter, result] : program.changed) {
    const auto& sources = program.parameters[parameter];
    const bool shared = sources[0].variable.get() == sources[1].variable.get();
    for (size_t k = 0; k < (shared ? 1 : count); ++k) {
      sources[k].variable->assign(results[k][result]);
    }
  }
  if (unit.later.empty()) return;
  TensorList for_host;
  for (size_t k = wanted; k < program.places.size(); ++k) {
    for_host.push_back(results[program.places[k].second][program.places[k].first]);
  }
  run_later(*unit.graph, unit.later, arguments, program.for_host, for_host);
}

std::string CompiledFunction::text() {
  const std::unique_lock lock = locked();
  if (!last_) return {};
  return last_->replicated ? last_->replicated->text : last_->program.text;
}

}  // namespace ef::lower
