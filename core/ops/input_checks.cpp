// Checks of dtypes in TensorFlow's order, with its messages.
#include "ops/input_checks.h"

#include <string>

#include "tensor/error.h"

namespace ef {
namespace {

std::string names_of(DTypeSet types) {
  std::string text;
  for (int i = 1; i < kDTypeCount; ++i) {
    const auto type = static_cast<DType>(i);
    if (!types.contains(type)) continue;
    if (!text.empty()) text += ", ";
    text += dtype_runtime_name(type);
  }
  return text;
}

// The dtype that an input must have: the only declared one, or that of the first input of its type.
DType expected_dtype(std::span<const TypedInput> inputs, size_t i) {
  const InputSpec& spec = *inputs[i].spec;
  if (const DType fixed = spec.fixed(); fixed != DType::kInvalid) return fixed;
  for (const TypedInput& input : inputs) {
    if (input.spec->shares_type(spec)) return input.dtype;
  }
  return inputs[i].dtype;
}

void check_type(std::string_view op, const InputSpec& spec, DType dtype) {
  if (spec.dtypes.contains(dtype)) return;
  const std::string argument = cat(" (argument '", spec.name, "')");
  if (!spec.declared().contains(dtype)) {
    refuse_attr(spec.type, dtype, spec.dtypes, op, argument);
  }
  fail(Code::kNotFound, "Could not find device for node: ", op, " has no kernel for ", dtype,
       argument, "; cast to another dtype first [Op:", op, "]");
}

}  // namespace

void refuse_attr(std::string_view attr, std::string_view value, std::string_view allowed,
                 std::string_view op, std::string_view detail) {
  invalid_argument("Value for attr '", attr, "' of ", value,
                   " is not in the list of allowed values: ", allowed, detail,
                   op.empty() ? "" : cat(" [Op:", op, "]"));
}

void refuse_attr(std::string_view attr, DType value, DTypeSet allowed, std::string_view op,
                 std::string_view detail) {
  refuse_attr(attr, dtype_runtime_name(value), names_of(allowed), op, detail);
}

void refuse_input(std::string_view op, size_t index, DType expected, DType dtype) {
  invalid_argument("cannot compute ", op, " as input #", index,
                   "(zero-based) was expected to be a ", expected, " tensor but is a ", dtype,
                   " tensor [Op:", op, "]");
}

void check_dtypes(std::string_view op, std::span<const TypedInput> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const InputSpec& spec = *inputs[i].spec;
    if (spec.fixed() == DType::kInvalid) check_type(op, spec, expected_dtype(inputs, i));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType expected = expected_dtype(inputs, i);
    if (inputs[i].dtype != expected) refuse_input(op, i, expected, inputs[i].dtype);
  }
}

}  // namespace ef
