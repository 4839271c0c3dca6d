// Adds nodes to graphs.
#include "graph/graph.h"

#include <algorithm>
#include <utility>

#include "ops/op_facts.h"
#include "tensor/error.h"

namespace ef::graph {

std::shared_ptr<void> (*find_source)() = nullptr;
std::string (*describe_source)(const std::shared_ptr<void>& source) = nullptr;
std::string (*name_prefix)() = nullptr;

std::string python_text(const Shape& shape) {
  if (!shape.ranked()) return "<unknown>";
  std::string text = "(";
  for (int k = 0; k < shape.rank(); ++k) {
    if (k) text += ", ";
    text += shape[k] == kUnknownSize ? std::string("None") : cat(shape[k]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

namespace {

std::string dtype_text(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return "float16";
    case DType::kFloat32: return "float32";
    case DType::kFloat64: return "float64";
    default: return cat(dtype);
  }
}

}  // namespace

std::string describe(const Tensor& tensor) {
  const Symbol* const symbol = symbol_of(tensor);
  const GraphPtr owner = symbol->graph();
  const std::string name =
      owner ? cat(owner->node(symbol->port().node).name, ":", symbol->port().output) : "?";
  return cat("<tf.Tensor '", name, "' shape=", python_text(tensor.shape()),
             " dtype=", dtype_text(tensor.dtype()), ">");
}

void refuse_reading(const Tensor& tensor, Code code, const char* what) {
  const GraphPtr owner = symbol_of(tensor)->graph();
  if (owner && owner->kind() == Graph::Kind::kProgram) {
    fail(code, describe(tensor), " is symbolic: ", what,
         " needs its value, which it has only when a session runs it: use session.run(), tf.cond, "
         "tf.while_loop or tf.py_function, or enable eager execution.");
  }
  fail(code, describe(tensor), " is symbolic: ", what,
       " needs its value, which it has only when the function runs. Return it from the function, "
       "use operations of TensorFlow (tf.cond, tf.while_loop, tf.print, tf.py_function), or "
       "decorate the function with @tf.function so that AutoGraph converts its control flow. "
       "AutoGraph reads a function's source, which has to stand in a file or a notebook: there is "
       "none of what is typed at Python's prompt or after `python -c`.");
}

namespace {

// The graphs that a thread builds, innermost last; null if it builds none. Never freed if the
// thread ends while it builds a graph: graphs hold Python objects, and Python may have shut down.
thread_local std::vector<GraphPtr>* stack = nullptr;
// Not destroyed, for the same reason.
GraphPtr& default_graph = *new GraphPtr;

[[noreturn]] void out_of_scope(const Tensor& tensor, const Graph* user) {
  const Symbol* const symbol = symbol_of(tensor);
  const GraphPtr owner = symbol->graph();
  std::string message = cat(describe(tensor), " is out of scope and cannot be used here",
                            user ? cat(", in function '", user->name(), "'") : std::string(),
                            ". It has a value only while ",
                            owner ? cat("function '", owner->name(), "'") : "its function",
                            " runs: return it from there, or pass it on as an argument.");
  const auto source = owner ? owner->node(symbol->port().node).source : nullptr;
  if (source && describe_source) {
    message += cat("\n\n", describe(tensor), " was defined here:\n    ", describe_source(source));
  }
  if (owner && user && owner->kind() == Graph::Kind::kProgram && user->in_program()) {
    fail(Code::kValueError, describe(tensor),
         " must be from the same graph as the operation that takes it.");
  }
  const bool inner = owner && user && owner->is_inside(*user);
  fail(inner ? kInaccessibleTensor : Code::kTypeError, message);
}

}  // namespace

const char* Node::type() const {
  if (op) return tf_name(*op);
  if (function) return function->type();
  return constant ? "Const" : "Placeholder";
}

Graph* innermost() { return (stack ? stack->back() : default_graph).get(); }

bool inside_graph() {
  return stack && std::ranges::any_of(*stack, [](const GraphPtr& graph) {
           return graph && graph->kind() == Graph::Kind::kFunction;
         });
}

GraphPtr building_ptr() { return building() ? building()->shared_from_this() : nullptr; }

void set_default_graph(GraphPtr graph) {
  graphs_begun += (graph != nullptr) - (default_graph != nullptr);
  default_graph = std::move(graph);
}

void begin_building(GraphPtr graph) {
  if (!stack) stack = new std::vector<GraphPtr>;
  stack->push_back(std::move(graph));
  ++graphs_begun;
}

void end_building() {
  stack->pop_back();
  --graphs_begun;
  if (stack->empty()) {
    delete stack;
    stack = nullptr;
  }
}

void refuse_out_of_scope(const Tensor& tensor) {
  const Symbol* const symbol = symbol_of(tensor);
  if (symbol && symbol->in_graph()) out_of_scope(tensor, nullptr);
}

Building::Building(GraphPtr graph) { begin_building(std::move(graph)); }
Building::~Building() { end_building(); }

namespace {

// Names that differ only in case count as equal, because files and folders have these names.
std::string lower(std::string name) {
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return name;
}

}  // namespace

std::string Graph::unique_name(std::string_view name, bool with_prefix, bool mark) {
  if (name.ends_with('/')) {
    std::string whole(name.substr(0, name.size() - 1));
    names_.try_emplace(lower(whole), 0);
    return whole;
  }
  const std::string prefix = with_prefix && name_prefix ? name_prefix() : std::string();
  const std::string full = with_prefix ? cat(prefix, scope_, name) : std::string(name);
  std::string found = full;
  const auto known = names_.find(lower(full));
  if (known != names_.end()) {
    int number = known->second;
    do found = cat(full, "_", ++number);
    while (names_.contains(lower(found)));
    if (mark) known->second = number;
  }
  if (mark) names_.try_emplace(lower(found), 0);
  return found;
}

std::string Graph::name_of_gradient(const std::string& node) const {
  return scope_.empty() ? cat("gradient_tape/", node, "_grad") : "SymbolicGradient";
}

bool Graph::in_program() const {
  if (kind_ == Kind::kProgram) return true;
  const GraphPtr enclosing = enclosing_.lock();
  return enclosing && enclosing->in_program();
}

void Graph::begin_controls(std::vector<NodeId> controls, bool alone) {
  control_scopes_.push_back({std::move(controls), alone, {}});
}

void Graph::end_controls() { control_scopes_.pop_back(); }

void Graph::add_controls(Node& node) {
  const NodeId id = size();
  for (auto scope = control_scopes_.rbegin(); scope != control_scopes_.rend(); ++scope) {
    // A node that reads a node of the scope already runs after the controls of that node.
    const bool follows = std::ranges::any_of(
        node.inputs, [&](const Port& port) { return scope->nodes.contains(port.node); });
    for (const NodeId control : scope->controls) {
      if (follows) break;
      if (std::ranges::find(node.controls, control) == node.controls.end()) {
        node.controls.push_back(control);
      }
    }
    scope->nodes.insert(id);
    if (scope->alone) break;
  }
}

Node& Graph::add(Node node, const SpecList& specs, std::string_view name) {
  if (finished_ || closed_) {
    const std::string which = kind_ == Kind::kFunction ? cat(" '", name_, "'") : std::string();
    fail(Code::kRuntimeError, "Graph", which, " is finalized and cannot be modified.");
  }
  node.name = unique_name(name);
  node.device = device_;
  if (find_source) node.source = find_source();
  if (!control_scopes_.empty()) add_controls(node);
  nodes_.push_back(std::move(node));
  for (const TensorSpec& spec : specs) add_output(size() - 1, spec);
  --changes_;
  if (device_function) [[unlikely]]
    nodes_.back().device = std::make_shared<const std::string>(device_function(size() - 1));
  return nodes_.back();
}

void Graph::add_output(NodeId id, const TensorSpec& spec) {
  ++changes_;
  TensorList& outputs = this->node(id).outputs;
  const Port port{id, static_cast<int32_t>(outputs.size())};
  auto symbol = std::make_unique<Symbol>(spec, weak_from_this(), port);
  outputs.push_back(Tensor(TensorImpl::create_lazy(spec.dtype, spec.shape, std::move(symbol))));
}

bool Graph::is_inside(const Graph& graph) const {
  for (GraphPtr found = enclosing_.lock(); found; found = found->enclosing_.lock()) {
    if (found.get() == &graph) return true;
  }
  return false;
}

Tensor Graph::add_placeholder(const TensorSpec& spec, const std::string& name) {
  SpecList specs;
  specs.push_back(spec);
  return add({}, specs, name).outputs[0];
}

Tensor Graph::add_input(const TensorSpec& spec, const std::string& name) {
  inputs_.push_back(add_placeholder(spec, name));
  return inputs_.back();
}

Tensor Graph::add_constant(const Tensor& value, const char* name) {
  if (const auto known = known_.find(value.impl()); known != known_.end()) {
    return tensor(known->second);
  }
  SpecList specs;
  specs.push_back({value.dtype(), value.shape()});
  Node node;
  node.constant = value;
  Tensor result = add(std::move(node), specs, name).outputs[0];
  Symbol* const symbol = symbol_of(result);
  symbol->set_value(value);
  result.impl()->share_id(*value.impl());
  known_[value.impl()] = symbol->port();
  return result;
}

Port Graph::port_of(const Tensor& tensor) {
  const Symbol* const symbol = tensor.impl()->lazy() ? symbol_of(tensor) : nullptr;
  if (symbol && symbol->graph().get() == this) return symbol->port();
  if (const auto known = known_.find(tensor.impl()); known != known_.end()) return known->second;
  if (!symbol && !captures_value(tensor)) return symbol_of(add_constant(tensor))->port();
  // A captured value is looked up in every call: a graph may be called from several others.
  Tensor outer = tensor;
  if (symbol) {
    const GraphPtr owner = symbol->graph();
    bool is_outer = false, scratch = scratch_;
    for (Graph* graph = outer_.get(); graph && !is_outer; graph = graph->outer_.get()) {
      is_outer = graph == owner.get();
      scratch |= graph->scratch_;
    }
    const bool in_scope = (is_outer && !owner->finished()) || scratch;
    // Facts about tensors of another program's graph do not make them tensors of this graph.
    const bool foreign = owner && owner->kind() == Kind::kProgram && !is_outer && in_program();
    const bool watchable =
        in_scope && kind_ == Kind::kFunction && is_differentiable(tensor.dtype());
    if (symbol->value() && !foreign && !watchable) {
      return symbol_of(add_constant(symbol->value()))->port();
    }
    if (!in_scope) out_of_scope(tensor, this);
    // The graphs in between capture it, too.
    if (outer_.get() != owner.get() && (is_outer || !scratch_))
      outer = outer_->tensor(outer_->port_of(tensor));
  }
  const Tensor inner = add_capture(outer, {tensor.dtype(), tensor.shape()});
  Symbol* const captured = symbol_of(inner);
  if (!symbol || symbol->value()) captured->set_value(symbol ? symbol->value() : tensor, true);
  if (symbol && symbol->numbers()) captured->set_numbers(*symbol->numbers());
  if (symbol && symbol->list()) captured->set_list(*symbol->list());
  known_[tensor.impl()] = captured->port();
  return captured->port();
}

Tensor Graph::add_capture(const Tensor& outer, const TensorSpec& spec) {
  Tensor inner = add_placeholder(spec, "Placeholder");
  inner.impl()->share_id(*outer.impl());  // tapes know the value by it
  captures_.push_back({outer, inner});
  return inner;
}

const Capture* Graph::capture_of(const Tensor& inner) const {
  for (const Capture& capture : captures_) {
    if (capture.inner.impl() == inner.impl()) return &capture;
  }
  return nullptr;
}

void Graph::finish(std::span<const Tensor> outputs) {
  for (const Tensor& output : outputs) outputs_.push_back(tensor(port_of(output)));
  finished_ = true;
  // Nodes of the outer graph keep this graph alive: a reference back would be a cycle.
  outer_ = nullptr;
}

}  // namespace ef::graph
