// Attribute values from Python: integers, floats, flags, and lists of axes or sizes.
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/numpy_api.h"
#include "bindings/numpy_interop.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "graph/record.h"
#include "ops/compose.h"
#include "ops/input_checks.h"

namespace ef::py {
namespace {

// The error for a value that is not an integer.
enum class Others { kInvalid, kTypeError };

[[noreturn]] void out_of_range() {
  fail(Code::kValueError, "Can't convert Python sequence with out-of-range integer to Tensor.");
}

// Raises what a conversion to an int32 tensor would raise.
[[noreturn]] void not_an_integer(PyObject* value) {
  to_tensor(value, DType::kInt32);
  PyErr_Format(PyExc_TypeError, "Cannot convert %R to EagerTensor of dtype int32", value);
  throw PythonError();
}

[[noreturn]] void not_integers(const char* what, DType dtype) {
  refuse_attr(what, dtype, kIndexTypes);
}

int64_t integer_value(PyObject* value) {
  int overflow = 0;
  const int64_t result = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow) out_of_range();
  return result;
}

std::optional<int64_t> integral(double value) {
  constexpr double kLimit = 0x1p63;
  if (!(value >= -kLimit && value < kLimit) || value != std::trunc(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

template <class T>
int64_t element(const Tensor& tensor, int64_t i) {
  return static_cast<int64_t>(tensor.data<T>()[i]);
}

int64_t integer_at(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kInt8: return element<int8_t>(tensor, i);
    case DType::kInt16: return element<int16_t>(tensor, i);
    case DType::kInt32: return element<int32_t>(tensor, i);
    case DType::kInt64: return element<int64_t>(tensor, i);
    case DType::kUint8: return element<uint8_t>(tensor, i);
    case DType::kUint16: return element<uint16_t>(tensor, i);
    case DType::kUint32: return element<uint32_t>(tensor, i);
    default: break;
  }
  if (tensor.data<uint64_t>()[i] > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    out_of_range();
  }
  return element<uint64_t>(tensor, i);
}

double double_at(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat16: return tensor.data<Half>()[i];
    case DType::kBfloat16: return tensor.data<Bfloat16>()[i];
    case DType::kFloat32: return tensor.data<float>()[i];
    case DType::kFloat64: return tensor.data<double>()[i];
    case DType::kBool: return tensor.data<bool>()[i];
    case DType::kUint64: return static_cast<double>(tensor.data<uint64_t>()[i]);
    default: break;
  }
  return static_cast<double>(integer_at(tensor, i));
}

// A tensor with the value of a tensor, variable, array or NumPy scalar; empty for other objects.
Tensor numeric_tensor(PyObject* value) {
  if (is_tensor(value)) return tensor_of(value);
  if (is_variable(value)) return read_variable(value);
  if (is_array(value) || is_numpy_scalar(value)) {
    if (dtype_of_array(value) == DType::kInvalid) return Tensor();
    return from_numpy(value);
  }
  return Tensor();
}

bool is_own_value(PyObject* value) { return is_tensor(value) || is_variable(value); }

// The collector that records a tensor without a value, if the call becomes a node; null if the
// value can be read or there is no collector.
graph::HoleCollector* collector_for(const Tensor& tensor) {
  if (!is_symbolic(tensor)) return nullptr;
  graph::HoleCollector* const collector = graph::HoleCollector::current();
  return collector && (!has_value(tensor) || collector->follows_known()) ? collector : nullptr;
}

Ints integers_of(const Tensor& tensor, PyObject* value, const char* what) {
  if (tensor.rank() > 1) {
    invalid_argument(what, " must be a scalar or 1-D, got shape ", tensor.shape());
  }
  if (graph::HoleCollector* const collector = collector_for(tensor)) {
    if (!is_integer(tensor.dtype())) not_integers(what, tensor.dtype());
    return collector->integers_of(tensor);
  }
  Ints ints;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (is_integer(tensor.dtype())) {
      ints.push_back(integer_at(tensor, i));
      continue;
    }
    // A tensor argument must hold integers. Results of NumPy, and tensors in lists, may be floats
    // with integer values.
    const bool number = is_floating(tensor.dtype()) || tensor.dtype() == DType::kBool;
    const auto whole =
        number && !is_own_value(value) ? integral(std::trunc(double_at(tensor, i))) : std::nullopt;
    if (!whole) not_integers(what, tensor.dtype());
    ints.push_back(*whole);
  }
  return ints;
}

int64_t scalar_of(const Tensor& tensor, PyObject* value, const char* what) {
  if (graph::HoleCollector* const collector = collector_for(tensor)) {
    if (!is_integer(tensor.dtype())) not_integers(what, tensor.dtype());
    if (!tensor.shape().fully_known()) {
      collector->number_of(tensor);
      return kUnknownInt;
    }
    if (tensor.size() == 1) return collector->integers_of(tensor)[0];
  }
  if (tensor.size() != 1) {
    invalid_argument(what, " must be a scalar, got shape ", tensor.shape());
  }
  return integers_of(tensor, value, what)[0];
}

// The shape of a sequence within a sequence, for messages.
[[noreturn]] void nested(PyObject* list, const char* what) {
  invalid_argument(what, " must be 1-D, not ", to_tensor(list).shape());
}

// Reads one entry of a list.
int64_t entry(PyObject* item, PyObject* list, const char* what, Others others) {
  if (PyLong_Check(item)) return integer_value(item);
  if (PyFloat_Check(item) || PyUnicode_Check(item) || PyBytes_Check(item)) {
    if (others == Others::kTypeError) not_an_integer(list);
    not_integers(what, PyFloat_Check(item) ? DType::kFloat32 : DType::kString);
  }
  if (PyList_Check(item) || PyTuple_Check(item)) nested(list, what);
  if (const Tensor tensor = numeric_tensor(item)) {
    if (!is_floating(tensor.dtype())) return scalar_of(tensor, item, what);
    // Lists become tensors of integers, which casts what is in them.
    return scalar_of(collector_for(tensor) ? cast_to(tensor, DType::kInt32) : tensor, list, what);
  }
  if (!PyIndex_Check(item)) not_an_integer(list);
  const PyRef number = checked(PyNumber_Index(item));
  return integer_value(number);
}

// Appends the items of a list or tuple up to the first that is not an integer. Integers run no
// Python code, so the sequence cannot change meanwhile. Returns whether all items are integers.
bool append_integers(PyObject* sequence, Ints& ints) {
  PyObject* const* const items = PySequence_Fast_ITEMS(sequence);
  const auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence));
  if (!std::all_of(items, items + count, [](PyObject* item) { return PyLong_CheckExact(item); })) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) ints.push_back(as_known(integer_value(items[i])));
  return true;
}

void append_entries(PyObject* value, const char* what, Others others, Ints& ints) {
  for (PyObject* item : Items(value)) ints.push_back(entry(item, value, what, others));
}

}  // namespace

Ints to_ints(PyObject* value, const char* what, bool type_errors) {
  Ints ints;
  append_ints(value, what, type_errors, ints);
  return ints;
}

[[gnu::hot]] void append_ints(PyObject* value, const char* what, bool type_errors, Ints& ints) {
  const Others others = type_errors ? Others::kTypeError : Others::kInvalid;
  if (PyLong_Check(value)) return ints.push_back(integer_value(value));
  if (PyList_Check(value) || PyTuple_Check(value)) {
    if (!append_integers(value, ints)) append_entries(value, what, others, ints);
    return;
  }
  if (const Tensor tensor = numeric_tensor(value)) {
    ints = integers_of(tensor, value, what);
    return;
  }
  if (PyFloat_Check(value)) not_an_integer(value);
  if (PyIndex_Check(value)) {
    const PyRef number = checked(PyNumber_Index(value));
    return ints.push_back(integer_value(number));
  }
  if (PyUnicode_Check(value) || PyBytes_Check(value)) {
    if (type_errors) not_an_integer(value);
    not_integers(what, DType::kString);
  }
  if (PyRange_Check(value)) return append_entries(value, what, others, ints);
  // All other objects, including TensorShapes, are converted to tensors.
  ints = integers_of(to_tensor(value, DType::kInvalid, DType::kInt64), value, what);
}

Shape to_partial_shape(PyObject* value) {
  if (value == Py_None) return Shape::unranked();
  Shape shape;
  const PyRef sequence = checked(PySequence_Fast(value, "A shape must be a sequence, or None."));
  for (PyObject* size : Items(sequence)) {
    shape.push_back(size == Py_None ? kUnknownSize : to_int(size, "shape"));
    if (size != Py_None && shape.back() < 0) invalid_argument("A size must not be negative.");
  }
  if (shape.fully_known()) checked_num_elements(shape.dims(), "Symbolic");
  return shape;
}

int64_t to_int(PyObject* value, const char* what) {
  if (PyLong_Check(value)) return integer_value(value);
  const Ints ints = to_ints(value, what);
  if (ints.is_unknown()) return kUnknownInt;
  if (ints.size() != 1) {
    invalid_argument(what, " must be a tensor with a single value, but got shape [", ints.size(),
                     "]");
  }
  return ints[0];
}

double to_double(PyObject* value, const char* what) {
  if (PyFloat_CheckExact(value)) return PyFloat_AS_DOUBLE(value);
  if (is_own_value(value)) {
    const Tensor tensor = numeric_tensor(value);
    if (graph::HoleCollector* const collector = collector_for(tensor)) {
      collector->number_of(tensor);
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (tensor.size() != 1 || !(kRealTypes | kBoolType).contains(tensor.dtype())) {
      fail(Code::kTypeError, what, " must be a real number, got a ", dtype_name(tensor.dtype()),
           " tensor of shape ", tensor.shape());
    }
    return double_at(tensor, 0);
  }
  const double result = PyFloat_AsDouble(value);
  if (result == -1.0 && PyErr_Occurred()) throw PythonError();
  return result;
}

bool to_bool(PyObject* value, const char* what) {
  if (PyBool_Check(value)) return value == Py_True;
  if (is_tensor(value)) {
    if (graph::HoleCollector* const collector = collector_for(tensor_of(value))) {
      collector->number_of(tensor_of(value));
      return false;
    }
  }
  // Reductions use the truth value of any `keepdims`; other flags must be booleans.
  const std::string_view type = Py_TYPE(value)->tp_name;
  const bool numpy = type == "numpy.bool" || type == "numpy.bool_";
  const bool text = PyUnicode_Check(value) || PyBytes_Check(value);
  if (!numpy && value != Py_None && (text || std::string_view(what) != "keepdims")) {
    PyErr_Format(PyExc_TypeError, "Expected bool for argument '%s' not %R.", what, value);
    throw PythonError();
  }
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) throw PythonError();
  return truth;
}

}  // namespace ef::py
