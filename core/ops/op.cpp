// The table of all operations.
#include "ops/op.h"

#include <string_view>
#include <utility>

#include "ops/element_call.h"
#include "ops/elementwise_infer.h"
#include "ops/op_facts.h"

namespace ef {
namespace {

std::vector<const Op*>& mutable_table() {
  static std::vector<const Op*> table;
  return table;
}

}  // namespace

bool InputSpec::shares_type(const InputSpec& other) const {
  return fixed() == DType::kInvalid && other.fixed() == DType::kInvalid &&
         std::string_view(type) == other.type;
}

DTypeSet InputSpec::declared() const {
  if (no_kernel.bits() || !dtypes.contains(DType::kString)) return dtypes | no_kernel;
  return dtypes | kStoredTypes;
}

void number_types(std::vector<InputSpec>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    size_t first = 0;
    while (first < i && !inputs[first].shares_type(inputs[i])) ++first;
    inputs[i].first = static_cast<int>(first);
  }
}

Op::Op(OpSpec spec) : OpSpec(std::move(spec)), index(static_cast<int>(mutable_table().size())) {
  number_types(inputs);
  elementwise = elementwise || infer == ops::unary_infer || infer == ops::unary_bool_infer ||
                infer == ops::binary_infer || infer == ops::binary_bool_infer;
  if (elementwise || infer == ops::same_shape_infer) may_be_unknown = Unknown::kRanks;
  only_sums = only_sums || elementwise || infer == ops::same_shape_infer;
  mutable_table().push_back(this);
}

const char* name(const Op& op) { return op.name; }
const char* tf_name(const Op& op) { return op.tf_name; }
bool has_gradient(const Op& op) { return op.gradient != nullptr; }
bool sizes_from_values(const Op& op) { return op.sizes_from_values; }

SpecList infer(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, bool symbolic) {
  SpecList outputs;
  InferContext context(op, inputs, attrs, outputs, symbolic);
  op.infer(context);
  return outputs;
}

void KernelContext::run() { op_.kernel(*this); }

ElementLoop element_loop(const ElementCall& call) {
  return call.op.kernel.elements ? call.op.kernel.elements(call) : ElementLoop();
}

const std::vector<const Op*>& op_table() { return mutable_table(); }

}  // namespace ef
