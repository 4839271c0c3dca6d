// The order of TensorFlow's checks. If all arguments are tensors, arrays, numbers and attributes of
// the expected types, inputs become tensors one after the other. Otherwise the types of the
// attributes are checked first. Then the inputs that share a type become tensors, type by type, and
// last those of a single dtype. Dtypes are compared when all inputs are tensors.
#include "bindings/check_arguments.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/numpy_interop.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "graph/symbolic.h"
#include "ops/input_checks.h"

namespace ef::py {
namespace {

// One value among the inputs.
struct Argument {
  const InputSpec* spec;
  PyRef value;
  Tensor tensor;  // empty until the value is converted
};

// Converts without warnings, which the first conversion has already shown.
Tensor converted_again(PyObject* value, DType dtype, DType hint = DType::kInvalid) {
  return to_tensor(value, dtype, hint, Unfit::kWrapSilently);
}

bool is_text(PyObject* value) { return PyUnicode_Check(value) || PyBytes_Check(value); }
bool is_sequence(PyObject* value) { return PyList_Check(value) || PyTuple_Check(value); }

[[noreturn]] void not_a_list(const char* op, const char* name, PyObject* value) {
  fail(Code::kTypeError, "Expected list for '", name, "' argument to '", op, "' Op, not ",
       str_of(value), ".");
}

[[noreturn]] void unexpected(const char* expected, const char* name, PyObject* value) {
  fail(Code::kTypeError, "Expected ", expected, " for argument '", name, "' not ", text_of(value),
       ".");
}

// Whether a call of Python's C API has succeeded. A TypeError or ValueError is cleared.
bool succeeds(PyObject* result) {
  const PyRef held = PyRef::steal(result);
  if (held) return true;
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError)) {
    throw PythonError();
  }
  PyErr_Clear();
  return false;
}

// Raises the error of a value that has the wrong type for an attribute.
void check_value(const AttrParameter& attr, PyObject* value) {
  // A graph knows it when it runs.
  if (is_tensor(value) && symbol_of(tensor_of(value))) return;
  switch (attr.kind) {
    case AttrKind::kInt:
      if (is_text(value) || !succeeds(PyNumber_Long(value))) unexpected("int", attr.name, value);
      return;
    case AttrKind::kFloat:
      if (is_text(value) || !succeeds(PyNumber_Float(value))) unexpected("float", attr.name, value);
      return;
    case AttrKind::kBool: to_bool(value, attr.name); return;
    case AttrKind::kDType: to_dtype(value); return;
    case AttrKind::kInts: to_ints(value, attr.name); return;
    case AttrKind::kShape: to_ints(value, attr.name, true); return;
    case AttrKind::kEnum:
      if (!is_text(value)) unexpected("string", attr.name, value);
      return;
  }
}

// Whether a value for an attribute needs no conversion.
bool is_plain_value(const AttrParameter& attr, PyObject* value) {
  switch (attr.kind) {
    case AttrKind::kInt: return PyLong_Check(value);
    case AttrKind::kFloat: return PyFloat_Check(value);
    case AttrKind::kBool: return PyBool_Check(value);
    case AttrKind::kDType: return PyLong_Check(value) || is_dtype_object(value);
    case AttrKind::kInts: return PyLong_Check(value) || is_sequence(value);
    case AttrKind::kShape: return false;
    case AttrKind::kEnum: return is_text(value);
  }
  return false;
}

class Checker {
 public:
  Checker(const Declaration& declaration, PyObject* const* values)
      : declaration_(declaration), values_(values) {}

  void run() {
    for (const TensorParameter& parameter : declaration_.tensors) take(parameter);
    if (is_direct()) {
      convert_in_order();
    } else {
      check_attrs();
      convert_by_type();
    }
    std::vector<TypedInput> inputs;
    for (const Argument& one : arguments_) inputs.push_back({one.spec, one.tensor.dtype()});
    check_dtypes(declaration_.op, inputs);
  }

 private:
  // The value of a parameter; null if the argument is missing.
  template <class Parameter>
  PyObject* given(const Parameter& parameter) const {
    PyObject* value = values_[parameter.position];
    return value == Py_None && parameter.has_default ? nullptr : value;
  }

  void take(const TensorParameter& parameter) {
    PyObject* value = given(parameter);
    if (!value) return;
    if (!parameter.spec.variadic) return add(parameter.spec, value);
    if (!is_sequence(value)) not_a_list(declaration_.op, parameter.spec.name, value);
    for (PyObject* item : Items(value)) add(parameter.spec, item);
  }

  void add(const InputSpec& spec, PyObject* value) {
    Argument one{&spec, PyRef::share(value), {}};
    if (spec.converts == Converts::kAlone) {
      one.tensor = converted_again(value, spec.fixed());
    } else if (spec.converts == Converts::kLikeFirst) {
      one.tensor = converted_again(value, dtype_of_type(spec));
    }
    arguments_.push_back(std::move(one));
  }

  // The dtype of the first tensor that shares the type; kInvalid if there is none yet.
  DType dtype_of_type(const InputSpec& spec) const {
    for (const Argument& one : arguments_) {
      if (one.tensor && one.spec->shares_type(spec)) return one.tensor.dtype();
    }
    return DType::kInvalid;
  }

  bool is_direct() const {
    for (const AttrParameter& attr : declaration_.attrs) {
      if (PyObject* value = given(attr); value && !is_plain(attr, value)) return false;
    }
    return std::all_of(arguments_.begin(), arguments_.end(), [](const Argument& one) {
      PyObject* const value = one.value;
      return one.tensor || is_tensor(value) || is_variable(value) || is_array(value) ||
             PyLong_Check(value) || PyFloat_Check(value);
    });
  }

  static bool is_plain(const AttrParameter& attr, PyObject* value) {
    if (!attr.list) return is_plain_value(attr, value);
    if (!is_sequence(value)) return false;
    const Items items(value);
    return std::all_of(items.begin(), items.end(),
                       [&](PyObject* item) { return is_plain_value(attr, item); });
  }

  void check_attrs() const {
    for (const AttrParameter& attr : declaration_.attrs) {
      PyObject* const value = given(attr);
      if (!value) continue;
      if (!attr.list) {
        check_value(attr, value);
        continue;
      }
      if (!is_sequence(value)) not_a_list(declaration_.op, attr.name, value);
      for (PyObject* item : Items(value)) check_value(attr, item);
    }
  }

  void convert_in_order() {
    for (Argument& one : arguments_) {
      if (!one.tensor && (is_tensor(one.value) || is_variable(one.value))) {
        one.tensor = to_tensor(one.value);
      }
    }
    for (Argument& one : arguments_) {
      if (one.tensor) continue;
      DType dtype = one.spec->fixed();
      if (dtype == DType::kInvalid) dtype = dtype_of_type(*one.spec);
      if (dtype == DType::kInvalid) dtype = one.spec->prefer;
      one.tensor = converted_again(one.value, dtype);
    }
  }

  void convert_by_type() {
    for (const Argument& one : arguments_) {
      if (one.spec->fixed() == DType::kInvalid && !one.tensor) convert_type(*one.spec);
    }
    for (Argument& one : arguments_) {
      const DType fixed = one.spec->fixed();
      if (fixed != DType::kInvalid && !one.tensor) one.tensor = converted_again(one.value, fixed);
    }
  }

  // Converts the inputs of a type to the dtype of a tensor among them, or else of the first input.
  // If all are tensors, they stay unchanged.
  void convert_type(const InputSpec& spec) {
    DType dtype = DType::kInvalid;
    bool tensors = true;
    for (const Argument& one : arguments_) {
      if (!one.spec->shares_type(spec)) continue;
      if (!one.tensor && !is_tensor(one.value)) {
        tensors = false;
      } else if (dtype == DType::kInvalid) {
        dtype = one.tensor ? one.tensor.dtype() : tensor_of(one.value).dtype();
      }
    }
    if (tensors) dtype = DType::kInvalid;
    for (Argument& one : arguments_) {
      if (!one.spec->shares_type(spec)) continue;
      if (!one.tensor) one.tensor = converted(*one.spec, one.value, dtype);
      if (!tensors) dtype = one.tensor.dtype();
    }
  }

  // A value for which no dtype is required keeps its own, if the declaration allows that.
  static Tensor converted(const InputSpec& spec, PyObject* value, DType dtype) {
    if (dtype != DType::kInvalid) return converted_again(value, dtype);
    Tensor tensor = to_tensor(value);
    if (spec.declared().contains(tensor.dtype())) return tensor;
    return converted_again(value, DType::kInvalid, spec.prefer);
  }

  const Declaration& declaration_;
  PyObject* const* values_;
  std::vector<Argument> arguments_;
};

}  // namespace

void check_arguments(const Declaration& declaration, PyObject* const* values) {
  Checker(declaration, values).run();
}

void refuse_escaped(const char* op, PyObject* error) {
  const auto is = [error](auto... kinds) {
    return (... || (PyErr_GivenExceptionMatches(error, kinds) != 0));
  };
  if (is(PyExc_MemoryError)) {
    const std::string text = str_of(error);
    fail(Code::kResourceExhausted, text.empty() ? "Out of memory." : text, " [Op:", op, "]");
  }
  if (is(PyExc_ArithmeticError, PyExc_LookupError, PyExc_AssertionError, PyExc_AttributeError,
         PyExc_StopIteration)) {
    invalid_argument("The arguments do not fit each other or the operation: ",
                     Py_TYPE(error)->tp_name, ": ", str_of(error), " [Op:", op, "]");
  }
}

}  // namespace ef::py
