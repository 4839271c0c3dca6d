// TensorFlow's errors for inputs and attributes of dtypes, or words, that an operation rejects.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ops/input_spec.h"

namespace ef {

// "Value for attr 'T' of string is not in the list of allowed values: half, float [Op:Exp]".
// `detail` precedes the operation's name, which may be omitted.
[[noreturn]] void refuse_attr(std::string_view attr, std::string_view value,
                              std::string_view allowed, std::string_view op = {},
                              std::string_view detail = {});
[[noreturn]] void refuse_attr(std::string_view attr, DType value, DTypeSet allowed,
                              std::string_view op = {}, std::string_view detail = {});

// "cannot compute Add as input #1(zero-based) was expected to be a float tensor but is a ...".
[[noreturn]] void refuse_input(std::string_view op, size_t index, DType expected, DType dtype);

// An input's declaration, and its actual dtype.
struct TypedInput {
  const InputSpec* spec;
  DType dtype;
};

// Raises TensorFlow's first error for inputs of these dtypes, if there is one. TensorFlow checks
// types before it looks up kernels, and then compares inputs with their types.
void check_dtypes(std::string_view op, std::span<const TypedInput> inputs);

}  // namespace ef
