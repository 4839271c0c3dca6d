// Writes the programs of operations and graphs.
#include "lower/program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "eager/variable.h"
#include "graph/control_flow.h"
#include "graph/list_specs.h"
#include "graph/record.h"
#include "graph/variables.h"
#include "lower/builder.h"
#include "lower/replicas.h"
#include "lower/rule.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/op_facts.h"
#include "ops/tensor_lists.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::Port;

// Constants of more elements are parameters: their text would be long.
constexpr int64_t kLiteral = 256;

std::string declared(const Value& value, std::string_view attrs = {}) {
  return cat(value.name, ": ", type_text(value.dtype, value.shape), attrs);
}

// `aliases` maps results to the parameters whose memory they take over.
std::string parameters_text(std::span<const Value> parameters,
                            const std::map<size_t, size_t>& aliases) {
  std::string text;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const auto alias = aliases.find(k);
    text += (k ? ", " : "") +
            declared(parameters[k], alias == aliases.end()
                                        ? std::string()
                                        : cat(" {tf.aliasing_output = ", alias->second, " : i32}"));
  }
  return text;
}

std::string function_text(std::string_view parameters, std::span<const Value> results,
                          Builder& body) {
  body.end("func.return", results);
  std::string text = cat("module @eagerflow {\nfunc.func public @main(", parameters, ") -> (");
  for (size_t k = 0; k < results.size(); ++k) {
    text += (k ? ", " : "") + type_text(results[k].dtype, results[k].shape);
  }
  return cat(text, ") {\n", body.text(), "}\n}\n");
}

Values apply(Builder& b, const Op& op, std::span<const Value> inputs, AttrsRef attrs,
             std::span<const TensorSpec> outputs,
             std::span<const std::pair<std::string, Value>> late) {
  const Rule rule = find_rule(op);
  if (!rule) fail(Code::kUnimplemented, "programs do not have ", tf_name(op));
  return rule({b, op, inputs, attrs, outputs, late});
}

// The current values of variables, which a part of a program changes.
struct State {
  std::map<Variable*, Value> values;
};

class Writer {
 public:
  Writer(Builder& b, TensorList& constants, std::vector<Value>& constant_parameters,
         const Replicas* replicas = nullptr)
      : b_(b),
        constants_(constants),
        constant_parameters_(constant_parameters),
        replicas_(replicas) {}

  // Writes the nodes of a graph; `values` holds the values of its placeholders, by port.
  void write(const Graph& graph, std::map<std::pair<NodeId, int32_t>, Value> values, State& state,
             std::span<const Port> results, std::span<const char> skipped, Values& outputs) {
    const std::vector<char> needed = needed_nodes(graph, results, skipped, values);
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (!needed[static_cast<size_t>(id)] || values.contains({id, 0})) continue;
      const Node& node = graph.node(id);
      Values made;
      try {
        made = is_collective(graph, id)
                   ? Values{write_collective(graph, id, value_at(graph, values, node.inputs[0]))}
                   : write_node(graph, node, values, state);
      } catch (const Error& error) {
        if (error.code() != Code::kUnimplemented) throw;
        fail(Code::kUnimplemented, error.what(), " (node ", node.name, ")");
      }
      for (size_t k = 0; k < made.size(); ++k) {
        values[{id, static_cast<int32_t>(k)}] = std::move(made[k]);
      }
    }
    for (const Port& port : results) outputs.push_back(value_at(graph, values, port));
  }

 private:
  using Known = std::map<std::pair<NodeId, int32_t>, Value>;

  // Combines a value of each replica, of which the program has only one.
  bool is_collective(const Graph& graph, NodeId id) const {
    return replicas_ && (replicas_->is_sum(graph, id) || replicas_->is_gather(graph, id));
  }

  std::vector<char> needed_nodes(const Graph& graph, std::span<const Port> results,
                                 std::span<const char> skipped, const Known& values) const {
    std::vector<char> needed(static_cast<size_t>(graph.size()));
    for (const Port& port : results) needed[static_cast<size_t>(port.node)] = 1;
    for (NodeId id = graph.size(); id-- > 0;) {
      const auto i = static_cast<size_t>(id);
      if (!skipped.empty() && skipped[i]) {
        needed[i] = 0;
        continue;
      }
      const Node& node = graph.node(id);
      if (node.has_effects()) needed[i] = 1;
      if (!needed[i] || is_known(node) || values.contains({id, 0})) continue;
      for (const Port& port : node.inputs) {
        needed[static_cast<size_t>(port.node)] = 1;
        if (is_collective(graph, id)) break;
      }
    }
    return needed;
  }

  static bool is_known(const Node& node) {
    return !node.has_effects() && !node.outputs.empty() &&
           std::ranges::all_of(node.outputs, [](const Tensor& output) {
             return static_cast<bool>(symbol_of(output)->value());
           });
  }

  Value constant(const Tensor& value) {
    if (value.size() <= kLiteral) return b_.constant(value);
    for (size_t k = 0; k < constants_.size(); ++k) {
      if (constants_[k].impl() == value.impl()) return constant_parameters_[k];
    }
    type_name(value.dtype());  // refuses strings
    constants_.push_back(value);
    constant_parameters_.push_back(
        {cat("%constant", constants_.size()), value.dtype(), value.shape()});
    return constant_parameters_.back();
  }

  Value value_at(const Graph& graph, Known& values, const Port& port) {
    const auto found = values.find({port.node, port.output});
    if (found != values.end()) return found->second;
    if (is_list(graph.tensor(port))) {
      const ListSpec list = graph::known_list(graph.tensor(port));
      if (!list.complete()) {
        fail(Code::kUnimplemented, "the sizes of a TensorArray depend on values");
      }
      return list_at(graph, values, port, list.dense());
    }
    const Tensor& known = symbol_of(graph.tensor(port))->value();
    if (!known) {
      fail(Code::kUnimplemented, graph.node(port.node).type(),
           " runs on the host, between what is compiled");
    }
    return values[{port.node, port.output}] = constant(known);
  }

  static bool is_list(const Tensor& tensor) { return tensor.dtype() == DType::kVariant; }

  // A list as one tensor, if its spec is known. Lists of gradients have no length of their own:
  // they are written when a reader needs one.
  Value list_at(const Graph& graph, Known& values, const Port& port, const TensorSpec& spec) {
    const auto found = values.find({port.node, port.output});
    if (found != values.end()) return found->second;
    const Node& node = graph.node(port.node);
    const Tensor& known = symbol_of(graph.tensor(port))->value();
    if (known && known.size() == 1 && !*known.data<VariantRef>()) {
      return b_.full(spec.dtype, spec.shape, 0);
    }
    if (!node.op) fail(Code::kUnimplemented, node.type(), " gives a list of unknown sizes");
    return values[{port.node, port.output}] = write_list(graph, node, values, spec);
  }

  // The initial value of a loop's variable.
  Value start_of(const Graph& graph, Known& values, const Port& port, const Tensor& variable) {
    const ListSpec list = graph::known_list(variable);
    if (!is_list(variable) || !list.complete()) return value_at(graph, values, port);
    return list_at(graph, values, port, list.dense());
  }

  Value write_list(const Graph& graph, const Node& node, Known& values, const TensorSpec& spec) {
    Values inputs;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const Tensor& tensor = graph.tensor(node.inputs[k]);
      const bool own = !is_list(tensor) || graph::known_list(tensor).complete();
      inputs.push_back(own ? value_at(graph, values, node.inputs[k])
                           : list_at(graph, values, node.inputs[k], spec));
    }
    return apply(b_, *node.op, inputs, node.attrs, {&spec, 1}, {})[0];
  }

  Value write_collective(const Graph& graph, NodeId id, const Value& own) {
    const Node& node = graph.node(id);
    const auto count = static_cast<int64_t>(replicas_->count);
    if (replicas_->is_sum(graph, id)) return b_.all_reduce(own, count);
    int64_t axis = node.attrs.as<ops::ConcatAttrs>().axis;
    if (axis < 0) axis += own.rank();
    return b_.all_gather(own, axis, count);
  }

  Values write_node(const Graph& graph, const Node& node, Known& values, State& state) {
    if (is_known(node)) {
      if (is_list(node.outputs[0])) return {};
      Values made;
      for (const Tensor& output : node.outputs) {
        made.push_back(constant(symbol_of(output)->value()));
      }
      return made;
    }
    if (node.op && !node.outputs.empty() && is_list(node.outputs[0])) {
      const ListSpec list = graph::known_list(node.outputs[0]);
      if (!list.complete()) return {};
      return {write_list(graph, node, values, list.dense())};
    }
    const std::optional<graph::LoopParts> loop = graph::loop_of(node);
    Values inputs;
    for (const Port& port : node.inputs) {
      if (const size_t k = inputs.size(); loop && k < loop->variables) {
        inputs.push_back(start_of(graph, values, port, loop->body->inputs()[k]));
        continue;
      }
      if (node.op == &ops::tensor_list_stack && node.outputs[0].shape().fully_known()) {
        inputs.push_back(
            list_at(graph, values, port, {node.outputs[0].dtype(), node.outputs[0].shape()}));
        continue;
      }
      // Values that only shapes or attributes read may have dtypes that programs do not support.
      inputs.push_back(value_at(graph, values, port));
    }
    if (node.op) return write_op(graph, node, inputs);
    if (Variable* const variable = graph::read_by(node)) return {state.values.at(variable)};
    graph::Change change;
    if (Variable* const variable = graph::assigned_by(node, change)) {
      assign(state.values.at(variable), change, inputs[0]);
      return {};
    }
    if (graph::is_choice(node)) return write_choice(node, inputs, state);
    if (loop) return write_loop(*loop, inputs, state);
    fail(Code::kUnimplemented, "programs do not have ", node.type());
  }

  void assign(Value& current, graph::Change change, const Value& value) {
    if (value.shape != current.shape) {
      fail(Code::kUnimplemented, "a value of shape ", value.shape,
           " is assigned to a variable of shape ", current.shape);
    }
    switch (change) {
      case graph::Change::kReplace: current = value; return;
      case graph::Change::kAdd: current = b_.add(current, value); return;
      case graph::Change::kSubtract: current = b_.sub(current, value); return;
    }
  }

  Values write_op(const Graph& graph, const Node& node, std::span<const Value> inputs) {
    const TensorList tensors = graph::inputs_of(graph, node);
    bool is_late = false;
    const SavedAttrs attrs = graph::known_attrs(node, tensors, is_late);
    std::vector<std::pair<std::string, Value>> late;
    if (is_late) add_late(node, tensors, inputs, late);
    SpecList specs;
    for (const Tensor& output : node.outputs) {
      if (!output.shape().fully_known()) {
        fail(Code::kUnimplemented, "the shape of the result of ", node.type(),
             " depends on values: ", output.shape());
      }
      specs.push_back({output.dtype(), output.shape()});
    }
    const auto own = inputs.first(static_cast<size_t>(node.num_op_inputs));
    return apply(b_, *node.op, own, attrs, specs, late);
  }

  void add_late(const Node& node, std::span<const Tensor> tensors, std::span<const Value> inputs,
                std::vector<std::pair<std::string, Value>>& late) {
    const std::vector<AttrField> fields = AttrsRef(node.attrs).type()->fields();
    for (const graph::LateAttr& one : node.late) {
      if (has_value(tensors[static_cast<size_t>(one.input)])) continue;
      const AttrField& field = fields[static_cast<size_t>(one.field)];
      const Value& source = inputs[static_cast<size_t>(one.input)];
      if (one.element < 0 && (field.kind == AttrKind::kInts || field.kind == AttrKind::kShape)) {
        late.emplace_back(field.name, source);
        continue;
      }
      Value element = source;
      if (source.rank() > 0) {
        const Value flat = b_.reshape(source, {source.shape.num_elements()});
        element = b_.reshape(b_.slice(flat, Dims{one.position}, Dims{one.position + 1}), {});
      }
      late.emplace_back(one.element < 0 ? field.name : cat(field.name, "[", one.element, "]"),
                        element);
    }
  }

  // The placeholders of an inner graph.
  static Known bound(const Graph& graph, std::span<const Value> variables,
                     std::span<const Value> inputs, const std::vector<size_t>& captures) {
    Known values;
    const auto bind = [&](const Tensor& placeholder, const Value& value) {
      const Port port = symbol_of(placeholder)->port();
      values[{port.node, port.output}] = value;
    };
    for (size_t k = 0; k < graph.inputs().size(); ++k) bind(graph.inputs()[k], variables[k]);
    for (size_t k = 0; k < graph.captures().size(); ++k) {
      bind(graph.captures()[k].inner, inputs[captures[k]]);
    }
    return values;
  }

  static std::vector<Port> ports_of(std::span<const Tensor> tensors) {
    std::vector<Port> ports;
    for (const Tensor& tensor : tensors) ports.push_back(symbol_of(tensor)->port());
    return ports;
  }

  Values inner(const Graph& graph, Known values, State& state) {
    Values outputs;
    const std::vector<Port> ports = ports_of(graph.outputs());
    write(graph, std::move(values), state, ports, {}, outputs);
    return outputs;
  }

  Values write_choice(const Node& node, std::span<const Value> inputs, State& state) {
    const std::vector<const Graph*> graphs = node.function->graphs();
    const std::vector<std::vector<size_t>> captures = node.function->captures();
    std::vector<Variable*> changed;
    for (const Graph* one : graphs) collect_variables(*one, true, changed);
    std::vector<std::string> regions;
    std::vector<TensorSpec> specs;
    const bool boolean = inputs[0].dtype == DType::kBool;
    for (size_t k = 0; k < graphs.size(); ++k) {
      regions.push_back(b_.region({}, [&](const Values&) {
        State own = state;
        Values results = inner(*graphs[k], bound(*graphs[k], {}, inputs, captures[k]), own);
        for (Variable* variable : changed) results.push_back(own.values.at(variable));
        if (k == 0) {
          for (const Value& result : results) specs.push_back(result.spec());
        }
        for (size_t j = 0; j < results.size(); ++j) {
          if (results[j].shape != specs[j].shape) {
            fail(Code::kUnimplemented, "branches give shapes ", specs[j].shape, " and ",
                 results[j].shape);
          }
        }
        return results;
      }));
    }
    // A boolean selects the first branch if true. Like the node, `case` runs the last branch for an
    // index out of range.
    Value index = b_.reshape(inputs[0], {});
    if (boolean) index = b_.convert(b_.logical_not(index), DType::kInt32);
    Values results = b_.op("stablehlo.case", {&index, 1}, {}, specs, regions);
    const size_t count = results.size() - changed.size();
    for (size_t k = 0; k < changed.size(); ++k) state.values[changed[k]] = results[count + k];
    results.resize(count);
    return results;
  }

  Values write_loop(const graph::LoopParts& loop, std::span<const Value> inputs, State& state) {
    std::vector<Variable*> changed;
    collect_variables(*loop.condition, true, changed);
    collect_variables(*loop.body, true, changed);
    Values start(inputs.begin(), inputs.begin() + static_cast<int64_t>(loop.variables));
    for (Variable* variable : changed) start.push_back(state.values.at(variable));
    if (loop.limited) {
      start.push_back(b_.convert(b_.reshape(inputs[loop.variables], {}), DType::kInt64));
    }
    std::vector<TensorSpec> specs;
    for (const Value& value : start) specs.push_back(value.spec());
    const auto state_in = [&](const Values& values) {
      State own = state;
      for (size_t k = 0; k < changed.size(); ++k) {
        own.values[changed[k]] = values[loop.variables + k];
      }
      return own;
    };
    const std::string regions[] = {
        b_.region(specs,
                  [&](const Values& values) {
                    State own = state_in(values);
                    Value more = inner(
                        *loop.condition,
                        bound(*loop.condition, values, inputs, *loop.condition_captures), own)[0];
                    more = b_.reshape(more, {});
                    if (!loop.limited) return Values{more};
                    const Value left = b_.compare("GT", values.back(), b_.like(values.back(), 0));
                    return Values{b_.logical_and(left, more)};
                  }),
        b_.region(specs, [&](const Values& values) {
          State own = state_in(values);
          Values next =
              inner(*loop.body, bound(*loop.body, values, inputs, *loop.body_captures), own);
          for (Variable* variable : changed) next.push_back(own.values.at(variable));
          if (loop.limited) next.push_back(b_.sub(values.back(), b_.like(values.back(), 1)));
          for (size_t k = 0; k < next.size(); ++k) {
            if (next[k].shape == specs[k].shape) continue;
            fail(Code::kUnimplemented, "a loop variable has shape ", specs[k].shape, ", then ",
                 next[k].shape);
          }
          return next;
        })};
    Values results = b_.op("stablehlo.while", start, {}, specs, regions);
    for (size_t k = 0; k < changed.size(); ++k) {
      state.values[changed[k]] = results[loop.variables + k];
    }
    results.resize(loop.variables);
    return results;
  }

  Builder& b_;
  TensorList& constants_;
  std::vector<Value>& constant_parameters_;
  const Replicas* replicas_;
};

}  // namespace

OperationProgram program_of(const Op& op, std::span<const TensorSpec> inputs, AttrsRef attrs,
                            std::span<const TensorSpec> outputs, std::span<const std::string> late,
                            bool overwrites) {
  Builder b;
  Values values;
  std::string parameters;
  for (size_t k = 0; k < inputs.size(); ++k) {
    values.push_back({cat("%argument", k), inputs[k].dtype, inputs[k].shape});
    const char* const alias = overwrites && k == 0 ? " {tf.aliasing_output = 0 : i32}" : "";
    parameters += (k ? ", " : "") + declared(values.back(), alias);
  }
  std::vector<std::pair<std::string, Value>> named;
  for (size_t k = 0; k < late.size(); ++k) {
    named.emplace_back(late[k], Value{cat("%late", k), DType::kInt64, {}});
    parameters += (parameters.empty() ? "" : ", ") + declared(named.back().second);
  }
  Values results = apply(b, op, values, attrs, outputs, named);
  OperationProgram program;
  for (const auto& [condition, message] : b.refusals()) {
    results.push_back(condition);
    program.refusals.push_back(message);
  }
  program.text = function_text(parameters, results, b);
  return program;
}

namespace {

// The values of the program that later nodes of the host read.
std::vector<Port> ports_for_host(const Graph& graph, std::span<const NodeId> later) {
  std::vector<Port> ports;
  for (const NodeId id : later) {
    for (const Port& port : graph.node(id).inputs) {
      const Node& source = graph.node(port.node);
      // The host has arguments and constants itself.
      if (std::ranges::find(later, port.node) != later.end()) continue;
      if ((!source.op && !source.function) || symbol_of(graph.tensor(port))->value()) continue;
      ports.push_back(port);
    }
  }
  return ports;
}

Program written(const Graph& graph, std::span<const NodeId> later,
                std::span<const size_t> overwritten) {
  Program program;
  Builder b;
  Values parameters;
  std::map<std::pair<NodeId, int32_t>, Value> values;
  const auto add_parameter = [&](const Port& port) {
    const Tensor& tensor = graph.tensor(port);
    parameters.push_back({cat("%argument", parameters.size()), tensor.dtype(), tensor.shape()});
    values[{port.node, port.output}] = parameters.back();
  };
  // Arguments that programs cannot hold, such as handles of iterators, are read by the host only.
  const auto fits = [](const Tensor& tensor) {
    return (kPlainTypes).contains(tensor.dtype()) && tensor.shape().fully_known();
  };
  for (size_t k = 0; k < graph.inputs().size(); ++k) {
    if (!fits(graph.inputs()[k])) continue;
    program.arguments.push_back(k);
    add_parameter(symbol_of(graph.inputs()[k])->port());
  }

  State state;
  std::vector<Variable*> used;
  collect_variables(graph, false, used);
  for (Variable* variable : used) {
    const Tensor current = variable->peek();
    program.variables.emplace_back(*variable);
    parameters.push_back({cat("%argument", parameters.size()), current.dtype(), current.shape()});
    state.values[variable] = parameters.back();
  }

  std::vector<char> skipped(static_cast<size_t>(graph.size()));
  std::vector<Port> results;
  const auto is_later = [&](const Port& port) {
    return std::ranges::find(later, port.node) != later.end();
  };
  for (size_t k = 0; k < graph.outputs().size(); ++k) {
    const Port port = symbol_of(graph.outputs()[k])->port();
    if (is_later(port)) continue;
    program.outputs.push_back(k);
    results.push_back(port);
  }
  for (const NodeId id : later) skipped[static_cast<size_t>(id)] = 1;
  program.for_host = ports_for_host(graph, later);
  results.insert(results.end(), program.for_host.begin(), program.for_host.end());

  std::vector<Value> constant_parameters;
  Writer writer(b, program.constants, constant_parameters);
  Values outputs;
  writer.write(graph, std::move(values), state, results, skipped, outputs);

  std::vector<Variable*> changed;
  collect_variables(graph, true, changed);
  std::map<size_t, size_t> aliases;  // parameters and the results that take their memory
  for (size_t k = 0; k < overwritten.size(); ++k) aliases[overwritten[k]] = k;
  const size_t first_variable = parameters.size() - used.size();
  for (Variable* variable : changed) {
    const auto at = static_cast<size_t>(std::ranges::find(used, variable) - used.begin());
    program.changed.push_back(at);
    aliases[first_variable + at] = outputs.size();
    outputs.push_back(state.values.at(variable));
  }
  for (const Value& output : outputs) program.results.push_back(output.spec());
  parameters.insert(parameters.end(), constant_parameters.begin(), constant_parameters.end());
  program.text = function_text(parameters_text(parameters, aliases), outputs, b);
  return program;
}

}  // namespace

Program program_of(const Graph& graph, std::span<const NodeId> later) {
  return written(graph, later, {});
}

Program program_over(const Graph& graph, std::span<const size_t> inputs) {
  return written(graph, {}, inputs);
}

ReplicatedProgram replicated_program(const Graph& graph, std::span<const NodeId> later) {
  std::vector<char> skipped(static_cast<size_t>(graph.size()));
  for (const NodeId id : later) skipped[static_cast<size_t>(id)] = 1;
  ReplicatedProgram program;
  for (const Tensor& output : graph.outputs()) {
    if (skipped[static_cast<size_t>(symbol_of(output)->port().node)]) {
      fail(Code::kUnimplemented, "the host computes a result from those of replicas");
    }
  }
  program.for_host = ports_for_host(graph, later);
  const Replicas replicas = match_replicas(graph, skipped, program.for_host);
  const size_t count = replicas.count;

  Builder b;
  Values parameters;
  std::map<std::pair<NodeId, int32_t>, Value> values;
  const auto add_parameter = [&](const TensorSpec& spec) {
    parameters.push_back({cat("%argument", parameters.size()), spec.dtype, spec.shape});
    return parameters.back();
  };
  std::map<NodeId, size_t> input_of;
  for (size_t k = 0; k < graph.inputs().size(); ++k) {
    input_of[symbol_of(graph.inputs()[k])->port().node] = k;
  }
  for (const Replicas::Ports& ports : replicas.arguments) {
    const Tensor& first = graph.tensor(ports[0]);
    type_name(first.dtype());  // refuses strings
    values[{ports[0].node, ports[0].output}] = add_parameter({first.dtype(), first.shape()});
    auto& sources = program.parameters.emplace_back(count);
    for (size_t k = 0; k < count; ++k) {
      sources[k].known = symbol_of(graph.tensor(ports[k]))->value();
      if (sources[k].known) continue;
      const Node& node = graph.node(ports[k].node);
      if (node.op) sources[k].part = ports[k].node;
      sources[k].input = input_of.at(node.op ? node.inputs[0].node : ports[k].node);
    }
  }
  State state;
  for (const std::vector<Variable*>& copies : replicas.variables) {
    const Tensor current = copies[0]->peek();
    state.values[copies[0]] = add_parameter({current.dtype(), current.shape()});
    auto& sources = program.parameters.emplace_back(count);
    for (size_t k = 0; k < count; ++k) sources[k].variable = VariableRef(*copies[k]);
  }

  std::vector<Port> results;
  const auto place = [&](std::span<const std::pair<Port, size_t>> places) {
    for (const auto& [port, replica] : places) {
      const auto at = std::ranges::find(results, port);
      program.places.emplace_back(static_cast<size_t>(at - results.begin()), replica);
      if (at == results.end()) results.push_back(port);
    }
  };
  place(replicas.outputs);
  place(replicas.for_host);

  TensorList constants;
  std::vector<Value> constant_parameters;
  Writer writer(b, constants, constant_parameters, &replicas);
  Values outputs;
  writer.write(graph, std::move(values), state, results, replicas.skipped, outputs);
  std::vector<Variable*> changed;
  collect_variables(graph, true, changed);
  std::map<size_t, size_t> aliases;
  const size_t first_variable = replicas.arguments.size();
  for (size_t k = 0; k < replicas.variables.size(); ++k) {
    Variable* const variable = replicas.variables[k][0];
    if (std::ranges::find(changed, variable) == changed.end()) continue;
    program.changed.emplace_back(first_variable + k, outputs.size());
    // A value that replicas share is stored on the device of one of them.
    if (replicas.variables[k].back() != variable) aliases[first_variable + k] = outputs.size();
    outputs.push_back(state.values.at(variable));
  }
  for (size_t k = 0; k < constants.size(); ++k) {
    parameters.push_back(constant_parameters[k]);
    for (auto& source : program.parameters.emplace_back(count)) source.known = constants[k];
  }
  for (const Value& output : outputs) program.results.push_back(output.spec());
  program.text = function_text(parameters_text(parameters, aliases), outputs, b);
  return program;
}

std::vector<std::string> missing_in(const Graph& graph) {
  std::vector<std::string> names;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    const bool missing = node.op && !find_rule(*node.op);
    if (missing && std::ranges::find(names, tf_name(*node.op)) == names.end()) {
      names.push_back(tf_name(*node.op));
    }
  }
  return names;
}

}  // namespace ef::lower
