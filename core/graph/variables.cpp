// Nodes that read and change variables.
#include "graph/variables.h"

#include <atomic>
#include <utility>

#include "eager/variable.h"
#include "graph/record.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

class OfVariable : public NodeFunction {
 public:
  explicit OfVariable(Variable& variable) : variable_(variable) {}
  bool needs_host() const override { return false; }
  std::span<const VariableRef> variables() const override { return {&variable_, 1}; }
  // The variable of this run.
  Variable& variable() const { return SwappedVariables::find(*variable_); }

 private:
  VariableRef variable_;
};

class Read final : public OfVariable {
 public:
  using OfVariable::OfVariable;
  const char* type() const override { return "ReadVariableOp"; }
  void run(std::span<const Tensor>, TensorList& outputs) const override {
    outputs.push_back(variable().read());
  }
};

class IsInitialized final : public OfVariable {
 public:
  using OfVariable::OfVariable;
  const char* type() const override { return "VarIsInitializedOp"; }
  void run(std::span<const Tensor>, TensorList& outputs) const override {
    outputs.push_back(Tensor::scalar(DType::kBool, variable().initialized()));
  }
  void retrace(Graph& graph, std::span<const Tensor>, TensorList& outputs) const override {
    outputs.push_back(add_is_initialized(graph, variable()));
  }
};

class Assign final : public OfVariable {
 public:
  Assign(Variable& variable, Change change) : OfVariable(variable), change_(change) {}
  Change change() const { return change_; }
  const char* type() const override {
    switch (change_) {
      case Change::kAdd: return "AssignAddVariableOp";
      case Change::kSubtract: return "AssignSubVariableOp";
      case Change::kReplace: break;
    }
    return "AssignVariableOp";
  }
  bool has_effects() const override { return true; }
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList&) const override {
    Variable& own = variable();
    Variable* const remainder = own.remainder();
    if (!remainder) return add_assign(graph, own, change_, inputs[0]);
    ExactSum sum{inputs[0], {}};
    if (change_ == Change::kReplace) {
      sum.remainder = zeros_like(inputs[0]);
    } else {
      sum = exact_sum(add_read(graph, own), add_read(graph, *remainder), inputs[0],
                      change_ == Change::kSubtract);
    }
    // In this order, because assigning a new value resets the remainder.
    add_assign(graph, own, Change::kReplace, sum.rounded);
    add_assign(graph, *remainder, Change::kReplace, sum.remainder);
  }
  void run(std::span<const Tensor> inputs, TensorList&) const override {
    switch (change_) {
      case Change::kAdd: return variable().assign_add(inputs[0]);
      case Change::kSubtract: return variable().assign_sub(inputs[0]);
      case Change::kReplace: break;
    }
    if (!compatible(variable().shape(), inputs[0].shape())) {
      invalid_argument("Cannot assign a value of shape ", inputs[0].shape(),
                       " to a variable of shape ", variable().shape(), ". [Op:AssignVariableOp]");
    }
    variable().assign(inputs[0]);
  }

 private:
  Change change_;
};

// An operation that changes its first input, on the variable itself.
class ChangePart final : public OfVariable {
 public:
  ChangePart(Variable& variable, const Node& node)
      : OfVariable(variable),
        op_(*node.op),
        attrs_(node.attrs),
        late_(node.late),
        operands_(static_cast<size_t>(node.num_op_inputs) - 1) {
    for (LateAttr& attr : late_) --attr.input;  // without the first input
  }
  const char* type() const override { return op_.tf_name; }
  bool has_effects() const override { return true; }
  void run(std::span<const Tensor> inputs, TensorList&) const override {
    const auto operands = inputs.first(operands_);
    if (late_.empty()) return variable().change(op_, operands, attrs_);
    variable().change(op_, operands, completed_attrs(attrs_, late_, inputs));
  }

 private:
  const Op& op_;
  const SavedAttrs attrs_;
  std::vector<LateAttr> late_;
  const size_t operands_;
};

}  // namespace

std::unique_ptr<const Node> changing_node(const Node& assign, const Node& change) {
  auto node = std::make_unique<Node>(change);
  node->op = nullptr;
  node->function = std::make_shared<ChangePart>(*assign.variables()[0], change);
  node->inputs = {};
  for (size_t k = 1; k < change.inputs.size(); ++k) node->inputs.push_back(change.inputs[k]);
  node->attrs = {};
  node->num_op_inputs = 0;
  node->late = {};
  node->outputs = {};
  return node;
}

Tensor add_read(Graph& graph, Variable& variable) {
  SpecList specs;
  specs.push_back({variable.dtype(), variable.shape()});
  return add_function(graph, std::make_shared<Read>(variable), {}, specs, "ReadVariableOp")[0];
}

void add_assign(Graph& graph, Variable& variable, Change change, const Tensor& value) {
  const auto assign = std::make_shared<Assign>(variable, change);
  add_function(graph, assign, {&value, 1}, {}, assign->type());
}

Tensor add_is_initialized(Graph& graph, Variable& variable) {
  SpecList specs;
  specs.push_back({DType::kBool, Shape{}});
  return add_function(graph, std::make_shared<IsInitialized>(variable), {}, specs,
                      "VarIsInitializedOp")[0];
}

namespace {

thread_local VariableStore* current_store = nullptr;
std::atomic<uint64_t> stores_made = 0;

}  // namespace

VariableStore::VariableStore() : id_(++stores_made) {}

Variable& VariableStore::find(Variable& declared) {
  VariableRef& found = variables_[&declared];
  if (!found) {
    const TensorSpec spec{declared.dtype(), declared.shape()};
    // The reference owns the initial count.
    auto* const made = new Variable(spec, declared.trainable(), declared.name(), false);
    found = VariableRef(*made);
    made->release();
    if (const Variable* const remainder = declared.remainder()) {
      made->keep_remainder();
      variables_[remainder] = VariableRef(*made->remainder());
    }
  }
  return *found;
}

Variable& variable_of_run(Variable& declared) {
  if (!current_store) {
    fail(Code::kFailedPrecondition, "The variable ", declared.name(),
         " belongs to a graph: it has values in sessions only.");
  }
  return current_store->find(declared);
}

UsingStore::UsingStore(VariableStore* store) : outer_(std::exchange(current_store, store)) {}
UsingStore::~UsingStore() { current_store = outer_; }

Variable* read_by(const Node& node) {
  const auto* const read = dynamic_cast<const Read*>(node.function.get());
  return read ? read->variables()[0].get() : nullptr;
}

Variable* assigned_by(const Node& node, Change& change) {
  const auto* const assign = dynamic_cast<const Assign*>(node.function.get());
  if (!assign) return nullptr;
  change = assign->change();
  return assign->variables()[0].get();
}

thread_local const SwappedVariables* SwappedVariables::innermost_ = nullptr;

SwappedVariables::SwappedVariables(const VariablePairs& pairs) : outer_(innermost_) {
  // An enclosing call may replace the call's own variables, too.
  for (const auto& [traced, actual] : pairs) pairs_.emplace_back(traced.get(), &find(*actual));
  innermost_ = this;
}

SwappedVariables::~SwappedVariables() { innermost_ = outer_; }

Variable& SwappedVariables::find(Variable& traced) {
  return innermost_ || traced.is_declaration() ? search(traced) : traced;
}

Variable& SwappedVariables::search(Variable& traced) {
  for (const SwappedVariables* frame = innermost_; frame; frame = frame->outer_) {
    for (const auto& [from, to] : frame->pairs_) {
      if (from == &traced) return *to;
    }
  }
  return traced.is_declaration() && current_store ? current_store->find(traced) : traced;
}

}  // namespace ef::graph
