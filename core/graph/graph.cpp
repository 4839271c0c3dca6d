// Adding nodes to graphs.
#include "graph/graph.h"

#include <algorithm>
#include <utility>

#include "tensor/error.h"

namespace ef::graph {

std::shared_ptr<void> (*find_source)() = nullptr;
std::string (*describe_source)(const std::shared_ptr<void>& source) = nullptr;
std::string (*name_prefix)() = nullptr;

namespace {

// As Python shows it: "(2, None)".
std::string shape_text(const Shape& shape) {
  if (!shape.ranked()) return "<unknown>";
  std::string text = "(";
  for (int k = 0; k < shape.rank(); ++k) {
    if (k) text += ", ";
    text += shape[k] == kUnknownSize ? std::string("None") : cat(shape[k]);
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

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
  return cat("<tf.Tensor '", name, "' shape=", shape_text(tensor.shape()),
             " dtype=", dtype_text(tensor.dtype()), ">");
}

void refuse_reading(const Tensor& tensor, Code code, const char* what) {
  fail(code, describe(tensor), " is symbolic: ", what,
       " needs its value, which it has only when the function runs. Return it from the function, "
       "use operations of TensorFlow (tf.cond, tf.while_loop, tf.print, tf.py_function), or "
       "decorate "
       "the function with @tf.function so that AutoGraph converts its control flow.");
}

namespace {

thread_local std::vector<GraphPtr> stack;

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
  const bool inner = owner && user && owner->is_inside(*user);
  fail(inner ? kInaccessibleTensor : Code::kTypeError, message);
}

}  // namespace

const char* Node::type() const {
  if (op) return op->tf_name;
  if (function) return function->type();
  return constant ? "Const" : "Placeholder";
}

Graph* innermost() { return stack.empty() ? nullptr : stack.back().get(); }

bool inside_graph() {
  return std::ranges::any_of(stack, [](const GraphPtr& graph) { return graph != nullptr; });
}

GraphPtr building_ptr() { return building() ? stack.back() : nullptr; }

void begin_building(GraphPtr graph) {
  stack.push_back(std::move(graph));
  ++graphs_begun;
}

void end_building() {
  stack.pop_back();
  --graphs_begun;
}

void refuse_out_of_scope(const Tensor& tensor) {
  const Symbol* const symbol = symbol_of(tensor);
  if (symbol && symbol->in_graph()) out_of_scope(tensor, nullptr);
}

Building::Building(GraphPtr graph) { begin_building(std::move(graph)); }
Building::~Building() { end_building(); }

std::string Graph::unique_name(std::string_view name) {
  std::string full = name_prefix ? name_prefix() + std::string(name) : std::string(name);
  if (name.ends_with('/')) full = std::string(name.substr(0, name.size() - 1));
  const auto [entry, is_new] = names_.try_emplace(full, 0);
  if (is_new) return full;
  for (;;) {
    std::string next = cat(full, "_", ++names_[full]);
    if (names_.try_emplace(next, 0).second) return next;
  }
}

Node& Graph::add(Node node, const SpecList& specs, std::string_view name) {
  if (finished_) {
    fail(Code::kRuntimeError, "Graph '", name_, "' is finalized and cannot be modified.");
  }
  node.name = unique_name(name);
  if (find_source) node.source = find_source();
  nodes_.push_back(std::move(node));
  for (const TensorSpec& spec : specs) add_output(size() - 1, spec);
  return nodes_.back();
}

void Graph::add_output(NodeId id, const TensorSpec& spec) {
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
  if (!symbol) return symbol_of(add_constant(tensor))->port();
  const GraphPtr owner = symbol->graph();
  if (owner.get() == this) return symbol->port();
  if (symbol->value()) return symbol_of(add_constant(symbol->value()))->port();
  if (const auto known = known_.find(tensor.impl()); known != known_.end()) return known->second;
  bool is_outer = false;
  for (Graph* graph = outer_.get(); graph && !is_outer; graph = graph->outer_.get()) {
    is_outer = graph == owner.get();
  }
  if (!is_outer || owner->finished()) out_of_scope(tensor, this);
  // The graphs between capture it, too.
  Tensor outer = tensor;
  if (outer_.get() != owner.get()) outer = outer_->tensor(outer_->port_of(tensor));
  const Tensor inner = add_capture(outer, {tensor.dtype(), tensor.shape()});
  if (symbol->numbers()) symbol_of(inner)->set_numbers(*symbol->numbers());
  const Port port = symbol_of(inner)->port();
  known_[tensor.impl()] = port;
  return port;
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
  // Nodes of the outer graph keep this one.
  outer_ = nullptr;
}

}  // namespace ef::graph
