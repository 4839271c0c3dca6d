// Nodes of programs' graphs that return their inputs, or nothing.
#include "graph/placeholders.h"

#include <memory>

#include "eager/dispatch.h"
#include "graph/record.h"
#include "ops/elementwise.h"

namespace ef::graph {
namespace {

class NoOp final : public NodeFunction {
 public:
  const char* type() const override { return "NoOp"; }
  void run(std::span<const Tensor>, TensorList&) const override {}
};

class PlaceholderWithDefault final : public NodeFunction {
 public:
  const char* type() const override { return "PlaceholderWithDefault"; }
  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    outputs.push_back(call(ops::identity, inputs));
  }
};

}  // namespace

void add_no_op(Graph& graph, const std::string& name) {
  add_function(graph, std::make_shared<NoOp>(), {}, {}, name);
}

Tensor add_placeholder_with_default(Graph& graph, const Tensor& value, const Shape& shape,
                                    const std::string& name) {
  if (!compatible(value.shape(), shape)) {
    fail(Code::kValueError, "The default value has shape ", value.shape(), ", which is not ", shape,
         ".");
  }
  SpecList specs;
  specs.push_back({value.dtype(), shape});
  return add_function(graph, std::make_shared<PlaceholderWithDefault>(), {&value, 1}, specs,
                      name)[0];
}

}  // namespace ef::graph
