// Adds calls of operations to graphs as nodes.
#include "graph/record.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eager/tape.h"
#include "graph/list_specs.h"
#include "graph/node_names.h"
#include "graph/static_value.h"
#include "graph/symbolic_ints.h"
#include "graph/taping.h"
#include "graph/vjp.h"
#include "ops/attr_fields.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

thread_local HoleCollector* collector = nullptr;

// The positions of the holes of one attribute, in order.
class HolePositions {
 public:
  HolePositions(const AttrField& field, void* attrs) : field_(field), attrs_(attrs) {}

  int32_t next(bool whole) {
    if (whole) return -1;
    if (field_.kind == AttrKind::kInts) return find(*value<Ints>(), kUnknownInt);
    if (field_.kind == AttrKind::kShape) return find(*value<Shape>(), kUnknownSize);
    return -1;
  }

 private:
  template <class T>
  T* value() {
    return static_cast<T*>(field_.value_in(attrs_));
  }
  template <class List>
  int32_t find(const List& list, int64_t unknown) {
    const auto begin = list.begin() + next_;
    const auto found = std::find(begin, list.end(), unknown);
    next_ = static_cast<int32_t>(found - list.begin()) + 1;
    return next_ - 1;
  }

  const AttrField& field_;
  void* attrs_;
  int32_t next_ = 0;
};

void add_holes(Graph& graph, Node& node, AttrsRef attrs, std::span<const Hole> holes) {
  if (holes.empty()) return;
  const std::vector<AttrField> fields = attrs.type()->fields();
  int32_t field = -1;
  std::optional<HolePositions> positions;
  for (const Hole& hole : holes) {
    if (hole.field != field) {
      field = hole.field;
      positions.emplace(fields[static_cast<size_t>(field)], const_cast<void*>(attrs.data()));
    }
    const Port port = graph.port_of(hole.source);
    const auto first = node.inputs.begin() + node.num_op_inputs;
    const auto found = std::find(first, node.inputs.end(), port);
    const auto input = static_cast<int32_t>(found - node.inputs.begin());
    if (found == node.inputs.end()) node.inputs.push_back(port);
    node.late.push_back({field, positions->next(hole.whole), input, hole.position});
  }
}

[[noreturn]] void refuse(const Error& error) {
  if (error.code() != Code::kInvalidArgument) throw error;
  throw Error(Code::kValueError, error.what());
}

// Whether the sizes of the tensors that `bits` selects are known.
bool sizes_known(std::span<const Tensor> tensors, uint16_t bits) {
  for (size_t k = 0; k < tensors.size(); ++k) {
    const bool read = bits >> std::min<size_t>(k, 15) & 1;
    if (!tensors[k].shape().ranked() || (read && !tensors[k].shape().fully_known())) return false;
  }
  return true;
}

// Whether the same axes of the inputs are broadcast whatever the unknown sizes are.
bool sums_known(const Op& op, std::span<const Tensor> inputs) {
  const auto size = [&](const Tensor& tensor, int from_end) {
    return from_end < tensor.rank() ? tensor.shape().back(from_end) : 1;
  };
  int rank = 0;
  for (const Tensor& input : inputs) {
    if (!input.shape().ranked()) return false;
    rank = std::max(rank, input.rank());
  }
  // The rows and columns of matrices are not broadcast.
  if (&op == &ops::matmul) return rank == 2;
  const bool same = std::ranges::all_of(
      inputs, [&](const Tensor& input) { return input.impl() == inputs[0].impl(); });
  for (int k = 0; k < rank && !same; ++k) {
    const auto wide = std::ranges::count_if(inputs, [&](const auto& t) { return size(t, k) != 1; });
    const auto unknown = [&](const Tensor& t) { return size(t, k) < 0; };
    if (wide > 1 && std::ranges::any_of(inputs, unknown)) return false;
  }
  return true;
}

int64_t number_at(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kInt8: return tensor.data<int8_t>()[i];
    case DType::kInt16: return tensor.data<int16_t>()[i];
    case DType::kInt32: return tensor.data<int32_t>()[i];
    case DType::kInt64: return tensor.data<int64_t>()[i];
    case DType::kUint8: return tensor.data<uint8_t>()[i];
    case DType::kUint16: return tensor.data<uint16_t>()[i];
    case DType::kUint32: return tensor.data<uint32_t>()[i];
    case DType::kUint64: return static_cast<int64_t>(tensor.data<uint64_t>()[i]);
    case DType::kBool: return tensor.data<bool>()[i];
    default: break;
  }
  invalid_argument("Expected an integer, got a ", tensor.dtype(), " tensor.");
}

double real_at(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat16: return tensor.data<Half>()[i];
    case DType::kBfloat16: return tensor.data<Bfloat16>()[i];
    case DType::kFloat32: return tensor.data<float>()[i];
    case DType::kFloat64: return tensor.data<double>()[i];
    default: return static_cast<double>(number_at(tensor, i));
  }
}

Ints numbers_of(const Tensor& tensor) {
  Ints numbers;
  for (int64_t i = 0; i < tensor.size(); ++i) numbers.push_back(as_known(number_at(tensor, i)));
  return numbers;
}

// Throws unless a tensor has the elements that an attribute reads from it. Its shape may have been
// unknown when the node was added.
void require_numbers(const AttrField& field, const LateAttr& late, const Tensor& source) {
  const bool is_list = field.kind == AttrKind::kInts || field.kind == AttrKind::kShape;
  const bool fits = !is_list           ? source.size() == 1
                    : late.element < 0 ? source.rank() <= 1
                                       : late.position < source.size();
  if (fits) return;
  const char* const wanted = !is_list           ? "a scalar"
                             : late.element < 0 ? "a scalar or 1-D"
                                                : "longer";
  invalid_argument(field.name, " must be ", wanted, ", got shape ", source.shape());
}

void complete(const AttrField& field, void* attrs, const LateAttr& late, const Tensor& source) {
  require_numbers(field, late, source);
  const auto element = static_cast<size_t>(late.element);
  const bool whole = late.element < 0;
  void* const value = field.value_in(attrs);
  switch (field.kind) {
    case AttrKind::kInts: {
      auto& list = *static_cast<Ints*>(value);
      if (whole) {
        list = numbers_of(source);
      } else {
        list[element] = as_known(number_at(source, late.position));
      }
      return;
    }
    case AttrKind::kShape: {
      auto& shape = *static_cast<Shape*>(value);
      if (whole) {
        shape = Shape(std::span<const int64_t>(numbers_of(source)));
      } else {
        shape[late.element] = as_known(number_at(source, late.position));
      }
      return;
    }
    case AttrKind::kInt: *static_cast<int64_t*>(value) = number_at(source, late.position); return;
    case AttrKind::kFloat: *static_cast<double*>(value) = real_at(source, late.position); return;
    case AttrKind::kBool:
      *static_cast<bool*>(value) = number_at(source, late.position) != 0;
      return;
    default: fail(Code::kInternal, "No tensor gives the attribute ", field.name, ".");
  }
}

// Completes an attribute from the known elements of its source. Returns whether the attribute is
// then complete.
bool complete_known(const AttrField& field, void* attrs, const LateAttr& late,
                    const Tensor& source) {
  const Symbol* const symbol = symbol_of(source);
  if (!symbol || symbol->value()) {
    complete(field, attrs, late, symbol ? symbol->value() : source);
    return true;
  }
  const std::optional<Ints> numbers = known_numbers(source);
  if (!numbers) return false;
  const bool known = std::ranges::find(*numbers, kUnknownInt) == numbers->end();
  const bool whole = late.element < 0;
  void* const value = field.value_in(attrs);
  if (field.kind == AttrKind::kInts && whole) {
    *static_cast<Ints*>(value) = *numbers;
    return known;
  }
  if (field.kind == AttrKind::kShape && whole) {
    Ints sizes = *numbers;
    for (int64_t& size : sizes) size = size == kUnknownInt ? kUnknownSize : size;
    *static_cast<Shape*>(value) = Shape(std::span<const int64_t>(sizes));
    return known;
  }
  if (static_cast<size_t>(late.position) >= numbers->size()) return false;
  const int64_t number = (*numbers)[static_cast<size_t>(late.position)];
  if (number == kUnknownInt) return false;
  switch (field.kind) {
    case AttrKind::kInts:
      (*static_cast<Ints*>(value))[static_cast<size_t>(late.element)] = number;
      return true;
    case AttrKind::kShape: (*static_cast<Shape*>(value))[late.element] = number; return true;
    case AttrKind::kInt: *static_cast<int64_t*>(value) = number; return true;
    default: return false;
  }
}

}  // namespace

void add_call(Graph& graph, const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
              std::span<const Hole> holes, std::string_view name, TensorList& outputs) {
  Node node;
  node.op = &op;
  node.attrs = attrs;
  std::vector<Hole> of_symbolic;
  if (SymbolicInts* const ints = SymbolicInts::current(); ints && holes.empty()) {
    of_symbolic = ints->take_holes(node.attrs);
    attrs = node.attrs;
    holes = of_symbolic;
  }
  SavedAttrs known;
  bool late = !holes.empty();
  const bool named = !name.empty();
  if (name.empty()) name = NodeName::current();
  if (name.empty()) name = default_node_name(op);
  // In a program's graph, a constant among the arguments is named after the node: "add/y".
  std::string unique;
  const auto port_of = [&](size_t k) {
    if (unique.empty() || is_symbolic(inputs[k])) return graph.port_of(inputs[k]);
    const InputSpec& spec = op.inputs[std::min(k, op.inputs.size() - 1)];
    std::string argument = cat(unique, spec.name);
    if (spec.variadic) argument += cat("_", k);
    return symbol_of(graph.add_constant(inputs[k], (argument + "/").c_str()))->port();
  };
  const auto add_inputs = [&] {
    if (graph.kind() == Graph::Kind::kProgram) {
      unique = graph.unique_name(name) + "/";
      if (named && is_in_scope_of_name(op)) unique += cat(op.tf_name, "/");
    }
    for (size_t k = 0; k < inputs.size(); ++k) node.inputs.push_back(port_of(k));
    node.num_op_inputs = static_cast<int32_t>(node.inputs.size());
    add_holes(graph, node, node.attrs, holes);
  };
  if (late && graph.kind() == Graph::Kind::kProgram) {
    add_inputs();
    known = known_attrs(node, inputs_of(graph, node), late);
    attrs = known;
  }
  SpecList specs;
  try {
    specs = infer(op, inputs, attrs, true);
  } catch (const Error& error) {
    refuse(error);
  }
  ListSpec list;
  if (graph.for_program()) list = infer_lists(op, inputs, attrs, specs);
  if (node.inputs.empty()) add_inputs();
  const Node& added = graph.add(std::move(node), specs, unique.empty() ? name : unique);
  const NodeId id = graph.size() - 1;
  // Values of lists are tensors of the program.
  const bool is_list = !specs.empty() && specs[0].dtype == DType::kVariant;
  if (graph.for_program() && is_list) {
    symbol_of(added.outputs[0])->set_list(std::move(list));
  } else {
    find_values(op, inputs, attrs, late, added.outputs);
  }
  if (graph.for_program()) find_list_values(op, list, added.outputs);
  for (const Tensor& output : added.outputs) outputs.push_back(output);
  if (op.gradient && recording()) record_node(graph, id, active_tapes());
}

TensorList add_function(Graph& graph, std::shared_ptr<const NodeFunction> function,
                        std::span<const Tensor> inputs, const SpecList& specs,
                        std::string_view name) {
  Node node;
  node.function = std::move(function);
  for (const Tensor& input : inputs) node.inputs.push_back(graph.port_of(input));
  node.num_op_inputs = static_cast<int32_t>(node.inputs.size());
  const std::string type = node.function->type();
  const Node& added = graph.add(std::move(node), specs, name.empty() ? type : name);
  const NodeId id = graph.size() - 1;
  TensorList outputs = added.outputs;  // a copy, since the node may receive another output
  if (recording()) record_node(graph, id, active_tapes());
  return outputs;
}

SavedAttrs completed_attrs(AttrsRef attrs, std::span<const LateAttr> late,
                           std::span<const Tensor> inputs) {
  SavedAttrs result = attrs;
  const AttrsRef own = result;
  const std::vector<AttrField> fields = own.type()->fields();
  for (const LateAttr& attr : late) {
    complete(fields[static_cast<size_t>(attr.field)], const_cast<void*>(own.data()), attr,
             inputs[static_cast<size_t>(attr.input)]);
  }
  return result;
}

SavedAttrs known_attrs(const Node& node, std::span<const Tensor> inputs, bool& late) {
  SavedAttrs result = node.attrs;
  late = false;
  if (node.late.empty()) return result;
  const AttrsRef attrs = result;
  const std::vector<AttrField> fields = attrs.type()->fields();
  for (const LateAttr& hole : node.late) {
    late |=
        !complete_known(fields[static_cast<size_t>(hole.field)], const_cast<void*>(attrs.data()),
                        hole, inputs[static_cast<size_t>(hole.input)]);
  }
  return result;
}

void record_node(Graph& graph, NodeId id, std::span<Tape* const> tapes) {
  const Node& node = graph.node(id);
  const TensorList inputs = inputs_of(graph, node);
  if (node.function) return record_function(graph, id, inputs, tapes);
  if (!node.op || !node.op->gradient) return;
  const auto own = std::span<const Tensor>(inputs).first(static_cast<size_t>(node.num_op_inputs));
  bool late = false;
  const SavedAttrs attrs = known_attrs(node, inputs, late);
  // The engine's gradients of lists leave elements unset, which GraphDef cannot express. With one
  // node for each, the exporter can write its own rule.
  const auto is_list = [](const Tensor& t) { return t.dtype() == DType::kVariant; };
  late |= std::ranges::any_of(own, is_list) || std::ranges::any_of(node.outputs, is_list);
  const bool sized =
      sizes_known(own, node.op->sizes.inputs) && sizes_known(node.outputs, node.op->sizes.outputs);
  if (!late && (sized || (node.op->only_sums && sums_known(*node.op, own)))) {
    for (Tape* tape : tapes) tape->record(*node.op, own, attrs, node.outputs);
    return;
  }
  std::vector<uint64_t> ids;
  for (const Tensor& input : own) {
    ids.push_back(is_differentiable(input.dtype()) ? input.impl()->id_or_zero() : 0);
  }
  const auto backward = operation_backward(graph.shared_from_this(), id);
  for (Tape* tape : tapes) tape->record(backward, ids, node.outputs);
}

TensorList inputs_of(const Graph& graph, const Node& node) {
  TensorList inputs;
  for (const Port& port : node.inputs) inputs.push_back(graph.tensor(port));
  return inputs;
}

HoleCollector::HoleCollector()
    : follows_known_(building() && building()->kind() == Graph::Kind::kProgram),
      outer_(std::exchange(collector, this)) {}
HoleCollector::~HoleCollector() { collector = outer_; }
HoleCollector* HoleCollector::innermost() { return collector; }

Ints HoleCollector::integers_of(const Tensor& tensor) {
  const std::optional<Ints> known = known_numbers(tensor);
  if (!known) {
    add({field_, true, tensor, 0});
    return Ints::unknown();
  }
  Ints numbers = *known;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (follows_known_) numbers[i] = kUnknownInt;
    if (numbers[i] == kUnknownInt) add({field_, false, tensor, static_cast<int64_t>(i)});
  }
  return numbers;
}

thread_local std::string_view node_name;

NodeName::NodeName(std::string_view name)
    : outer_(building() ? std::exchange(node_name, name) : std::string_view()) {}
NodeName::~NodeName() {
  if (building()) node_name = outer_;
}
std::string_view NodeName::current() { return node_name; }

void HoleCollector::number_of(const Tensor& tensor) { add({field_, false, tensor, 0}); }

}  // namespace ef::graph
