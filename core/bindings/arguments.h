// The arguments of a call from Python: matched with the parameters that the op table declares,
// converted and checked.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/check_arguments.h"
#include "bindings/py_tensor.h"
#include "ops/attrs.h"
#include "ops/op.h"

namespace ef::py {

// An attribute's default, read once from the table's text.
struct Fallback {
  enum Kind { kRequired, kNone, kWord, kList } kind = kRequired;
  int64_t word = 0;
};

// What a call needs to know about an operation beyond its table entry. Lives as long as the
// process.
struct Signature {
  explicit Signature(const Op& entry);

  const Op& op;
  std::vector<PyObject*> names;  // interned: inputs, attributes, "name"
  std::vector<Fallback> fallbacks;
  std::vector<std::vector<std::string>> choices;  // per attribute, an enum's words
  size_t num_inputs;
  bool variadic;
  Declaration declaration;
};

constexpr size_t kMaxParameters = Borrowed::kMax + Attrs::kMaxAttrs + 1;

// Puts the arguments of a vectorcall into parameter order; absent ones are null.
void match_arguments(const Signature& signature, PyObject* const* args, size_t positional,
                     PyObject* keywords, PyObject** values);

// Appends the value of attribute `k`, or its default where `value` is null.
void append_attr(const Signature& signature, size_t k, PyObject* value, Attrs& attrs);

// The inputs as tensors.
void convert_inputs(const Signature& signature, PyObject* const* values, TensorList& inputs);

// Raises a TypeError where a parameter without a default has no argument.
void require_arguments(const Signature& signature, PyObject* const* values);

}  // namespace ef::py
