// The arguments of a call from Python: matched with the parameters that the op table declares,
// converted and checked.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/check_arguments.h"
#include "bindings/convert.h"
#include "bindings/py_tensor.h"
#include "ops/attr_fields.h"
#include "ops/attrs.h"
#include "tensor/tensor_list.h"

namespace ef::py {

// What a call needs besides the operation's entry in the op table. Lives as long as the process.
struct Signature {
  explicit Signature(const Op& entry);

  const Op& op;
  std::vector<PyObject*> names;  // interned: inputs, attributes, "name"
  std::vector<AttrField> attrs;
  std::vector<std::vector<std::string>> choices;  // per attribute, an enum's words
  uint64_t required_attrs = 0;                    // bit k: attribute k has no default
  size_t num_inputs;
  bool variadic;
  Unfit unfit;  // for integers that do not fit the dtype of the other inputs
  Declaration declaration;
};

// Inputs, attributes and the name.
constexpr size_t kMaxParameters = Borrowed::kMax + 12;

// The attributes of a call, in the struct of its operation.
class AttrsBuffer {
 public:
  explicit AttrsBuffer(const AttrsType* type) : type_(type) {
    if (type_) type_->construct(memory_);
  }
  ~AttrsBuffer() {
    if (type_ && type_->destroy) type_->destroy(memory_);
  }
  AttrsBuffer(const AttrsBuffer&) = delete;
  AttrsBuffer& operator=(const AttrsBuffer&) = delete;

  template <class T>
  T& at(const AttrField& field) {
    return *static_cast<T*>(field.value_in(memory_));
  }
  operator AttrsRef() const { return {type_, memory_}; }

 private:
  const AttrsType* type_;
  alignas(std::max_align_t) std::byte memory_[kMaxAttrsSize];
};

// Puts the arguments of a vectorcall into parameter order; absent ones are null.
void match_arguments(const Signature& signature, PyObject* const* args, size_t positional,
                     PyObject* keywords, PyObject** values);

// Sets attribute `k`; if `value` is null, the attribute keeps its default. If `symbolic`, the call
// becomes a node of a graph: scalars and sizes may be unknown, and a HoleCollector records their
// tensors.
void set_attr(const Signature& signature, size_t k, PyObject* value, AttrsBuffer& attrs,
              bool symbolic);

// The inputs as tensors.
void convert_inputs(const Signature& signature, PyObject* const* values, TensorList& inputs);

// Raises a TypeError if a parameter without a default has no argument.
void require_arguments(const Signature& signature, PyObject* const* values);

}  // namespace ef::py
