// The lowering of the table's operations to StableHLO: one rule each, by family in lower/rules/.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lower/builder.h"
#include "ops/attrs.h"
#include "tensor/error.h"
#include "tensor/tensor_spec.h"

namespace ef::lower {

// One operation of a program.
struct Call {
  Builder& b;
  const Op& op;
  std::span<const Value> in;
  AttrsRef attributes;
  std::span<const TensorSpec> out;
  // Attributes that are values of the program, by name. For lists, the entire list, or its elements
  // as "begin[2]".
  std::span<const std::pair<std::string, Value>> late;

  template <class T>
  const T& attrs() const {
    return attributes.as<T>();
  }
  // A late attribute; null if it is known.
  const Value* find_late(std::string_view name) const;
  // Inputs broadcast to the shape of the result.
  Value broadcast(size_t i) const { return b.broadcast(in[i], out[0].shape); }
};

// Returns the results of an operation. Throws Unimplemented, with the reason, if a program cannot
// compute it.
using Rule = Values (*)(const Call&);

// The rule of an operation; null if programs do not support it.
Rule find_rule(const Op& op);
// The operations that programs support.
std::vector<const Op*> operations();
// Throws that a program cannot compute this.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  fail(Code::kUnimplemented, parts...);
}

// The rules of one file in lower/rules/, by the operations' names.
using RuleList = std::span<const std::pair<const char*, Rule>>;
RuleList elementwise_rules();
RuleList special_rules();
RuleList reduction_rules();
RuleList array_rules();
RuleList matrix_rules();
RuleList linear_system_rules();
RuleList decomposition_rules();
RuleList fourier_rules();
RuleList image_rules();
RuleList convolution_rules();
RuleList pooling_rules();
RuleList normalization_rules();
RuleList indexing_rules();
RuleList sorting_rules();
RuleList random_rules();
RuleList recurrent_rules();
RuleList tensor_list_rules();

int64_t normalized(int64_t axis, int rank);
// Axes from 0 on; all of them if there is no list.
Dims normalized(const std::optional<Ints>& axes, int rank);

}  // namespace ef::lower
