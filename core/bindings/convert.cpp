// Converts Python objects of all kinds to tensors and dtypes.
#include "bindings/convert.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/numpy_api.h"
#include "bindings/numpy_interop.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "bindings/sequence.h"
#include "bindings/unfit_integers.h"
#include "eager/dispatch.h"
#include "ops/array.h"
#include "ops/compose.h"

namespace ef::py {

std::string text_of(PyObject* object) {
  constexpr size_t kMaxLength = 2000;
  const PyRef text = PyRef::steal(PyObject_Repr(object));
  const char* utf8 = text ? PyUnicode_AsUTF8(text) : nullptr;
  if (!utf8) {
    PyErr_Clear();
    return cat("<", Py_TYPE(object)->tp_name, " object>");
  }
  std::string result = utf8;
  if (result.size() > kMaxLength) {
    size_t length = kMaxLength;
    while ((result[length] & 0xc0) == 0x80) --length;  // not inside a character
    result.resize(length);
    result += "...";
  }
  return result;
}

std::string str_of(PyObject* object) {
  const PyRef text = checked(PyObject_Str(object));
  const char* utf8 = PyUnicode_AsUTF8(text);
  if (!utf8) throw PythonError();
  return utf8;
}

namespace {

PyObject* object_or_none(DType dtype) {
  return dtype == DType::kInvalid ? Py_NewRef(Py_None) : dtype_object(dtype);
}

[[noreturn]] void cannot_convert(PyObject* value, DType dtype) {
  fail(Code::kTypeError, "Cannot convert ", text_of(value), " to EagerTensor of dtype ",
       dtype_runtime_name(dtype));
}

[[noreturn]] void unsupported(PyObject* value) {
  if (PyType_Check(value) && PyObject_HasAttrString(value, "__array__")) {
    fail(Code::kTypeError, "Cannot convert the class ", text_of(value),
         " to a Tensor: pass an instance of it, or the class as a `dtype` argument.");
  }
  fail(Code::kValueError, "Attempt to convert a value (", text_of(value),
       ") with an unsupported type (", text_of(reinterpret_cast<PyObject*>(Py_TYPE(value))),
       ") to a Tensor.");
}

// The depth of a nested structure along its first elements, up to `limit`.
int depth_of(PyObject* value, int limit) {
  int depth = 0;
  while (depth < limit && (PyList_Check(value) || PyTuple_Check(value)) &&
         PySequence_Fast_GET_SIZE(value) > 0) {
    value = PySequence_Fast_GET_ITEM(value, 0);
    ++depth;
  }
  return depth;
}

[[noreturn]] void raise(const Parsed& parsed, PyObject* value) {
  switch (parsed.outcome) {
    case Outcome::kUnsupported: unsupported(parsed.culprit);
    case Outcome::kRagged:
      fail(Code::kValueError,
           "Can't convert non-rectangular Python sequence to Tensor: ", text_of(value));
    case Outcome::kIntRange:
      fail(Code::kValueError, "Can't convert Python sequence with out-of-range integer to Tensor.");
    case Outcome::kFloatRange:
      fail(Code::kValueError,
           "Can't convert Python sequence with a value out of range for a double-precision float.");
    case Outcome::kUnicode:
      fail(Code::kValueError,
           "Error converting unicode string while converting Python sequence to Tensor.");
    case Outcome::kTooDeep: {
      constexpr int kLimit = 1000;
      if (depth_of(value, kLimit) == kLimit) {
        PyErr_SetString(PyExc_RecursionError,
                        "maximum recursion depth exceeded while converting a nested sequence");
        throw PythonError();
      }
      fail(Code::kValueError, "Can't convert a Python sequence with more than ", kMaxRank,
           " levels to Tensor.");
    }
    default: fail(Code::kValueError, "Can't convert Python sequence with mixed types to Tensor.");
  }
}

// Functions that convert instances of a class to tensors.
struct Conversion {
  PyObject* cls;
  PyObject* function;
  long priority;
};
std::vector<Conversion>& conversions() {
  static auto& list = *new std::vector<Conversion>;
  return list;
}

PyRef call_conversion(PyObject* function, PyObject* value, DType dtype) {
  const PyRef args = checked(PyTuple_Pack(1, value));
  const PyRef wanted = checked(object_or_none(dtype));
  const PyRef kwargs = checked(
      Py_BuildValue("{s:O,s:O,s:O}", "dtype", wanted.get(), "name", Py_None, "as_ref", Py_False));
  return checked(PyObject_Call(function, args, kwargs));
}

// The result of a converter, which must be a tensor.
Tensor converted(PyObject* result, DType dtype) {
  Tensor tensor;
  if (is_tensor(result)) {
    tensor = tensor_of(result);
  } else if (is_variable(result)) {
    tensor = read_variable(result);
  } else {
    fail(Code::kRuntimeError, "A conversion function returned ", text_of(result),
         ", which is not a Tensor.");
  }
  if (dtype != DType::kInvalid && tensor.dtype() != dtype) {
    fail(Code::kTypeError, "A conversion function returned a Tensor of dtype ",
         dtype_name(tensor.dtype()), " where ", dtype_name(dtype), " was requested.");
  }
  return tensor;
}

}  // namespace

Tensor from_registry(PyObject* value, DType dtype) {
  // A copy: a conversion may register others.
  const std::vector<Conversion> list = conversions();
  for (const Conversion& conversion : list) {
    const int matches = PyObject_IsInstance(value, conversion.cls);
    if (matches < 0) throw PythonError();
    if (!matches) continue;
    const PyRef result = call_conversion(conversion.function, value, dtype);
    if (result.get() != Py_NotImplemented) return converted(result, dtype);
  }
  return Tensor();
}

namespace {

Tensor from_protocol(PyObject* value, DType dtype) {
  if (PyType_Check(value)) return Tensor();
  const PyRef method = attribute(value, "__tf_tensor__");
  if (!method) return Tensor();
  const PyRef wanted = checked(object_or_none(dtype));
  const PyRef result =
      checked(PyObject_CallFunctionObjArgs(method, wanted.get(), Py_None, nullptr));
  return converted(result, dtype);
}

// The sizes of a fully known TensorShape as a list; empty for other objects.
PyRef shape_list(PyObject* value) {
  if (PyType_Check(value)) return PyRef();
  const PyRef method = attribute(value, "as_list");
  if (!method || !PyObject_HasAttrString(value, "is_fully_defined")) return PyRef();
  PyRef list = PyRef::steal(PyObject_CallNoArgs(method));
  if (!list) {
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) throw PythonError();
    PyErr_Clear();  // the rank is unknown
  }
  const int partial = list ? PySequence_Contains(list, Py_None) : 1;
  if (partial < 0) throw PythonError();
  if (partial) {
    fail(Code::kValueError, "Cannot convert a partially known TensorShape ", str_of(value),
         " to a Tensor.");
  }
  return list;
}

bool is_dimension(PyObject* value) {
  return std::string_view(Py_TYPE(value)->tp_name).ends_with("Dimension") && PyIndex_Check(value);
}

bool is_number_or_text(PyObject* value) {
  return PyFloat_Check(value) || PyLong_Check(value) || PyUnicode_Check(value) ||
         PyBytes_Check(value) || PyComplex_Check(value) || value == Py_None;
}

class RecursionGuard {
 public:
  RecursionGuard() {
    if (Py_EnterRecursiveCall(" while converting a nested sequence")) throw PythonError();
  }
  ~RecursionGuard() { Py_LeaveRecursiveCall(); }
  RecursionGuard(const RecursionGuard&) = delete;
  RecursionGuard& operator=(const RecursionGuard&) = delete;
};

// Rebuilds nested sequences as lists and tuples of tensors, arrays, NumPy scalars and Python
// scalars. There are no other references to these lists, and parsing them runs no Python code.
class Normalizer {
 public:
  PyRef run(PyObject* value) {
    const RecursionGuard guard;
    if (is_number_or_text(value) || is_numpy_scalar(value)) return PyRef::share(value);
    if (is_tensor(value)) {
      has_tensor_ = true;
      return PyRef::share(value);
    }
    if (is_variable(value)) return keep(read_variable(value));
    if (is_array(value)) return array(value);
    if (Tensor tensor = from_registry(value, DType::kInvalid)) return keep(std::move(tensor));
    if (PyList_Check(value) || PyTuple_Check(value)) return sequence(value);
    return foreign(value);
  }
  bool has_tensor() const { return has_tensor_; }

 private:
  PyRef keep(Tensor tensor) {
    has_tensor_ = true;
    return checked(wrap(std::move(tensor)));
  }

  PyRef array(PyObject* value) {
    if (PyArray_NDIM(as_array(value)) == 0) {
      return run(checked(PyArray_ToScalar(PyArray_DATA(as_array(value)), as_array(value))));
    }
    const char kind = PyArray_DESCR(as_array(value))->kind;
    if (kind == 'O') return run(checked(PyArray_ToList(as_array(value))));
    return PyRef::share(value);
  }

  PyRef sequence(PyObject* value) {
    const Items items(value);
    const auto count = static_cast<Py_ssize_t>(items.size());
    const bool tuple = PyTuple_Check(value);
    PyRef result = checked(tuple ? PyTuple_New(count) : PyList_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = run(items[static_cast<size_t>(i)]).release();
      if (tuple) {
        PyTuple_SET_ITEM(result.get(), i, item);
      } else {
        PyList_SET_ITEM(result.get(), i, item);
      }
    }
    return result;
  }

  PyRef foreign(PyObject* value) {
    if (Tensor tensor = from_protocol(value, DType::kInvalid)) return keep(std::move(tensor));
    if (const PyRef list = shape_list(value)) return run(list);
    if (const PyRef offered = PyRef::steal(array_of(value))) return array(offered);
    if (is_dimension(value)) return checked(PyNumber_Index(value));
    if (PySequence_Check(value) && !PyDict_Check(value)) return sequence(value);
    return PyRef::share(value);
  }

  bool has_tensor_ = false;
};

// Parses integers that do not all fit a dtype.
[[gnu::cold, gnu::noinline]] Parsed parse_unfit(PyObject* value, PyObject* shown, Source source,
                                                DType dtype, Unfit unfit) {
  Parsed parsed = parse_wrapping(value, source, dtype);
  if (unfit == Unfit::kThrow &&
      (parsed.outcome == Outcome::kOk || parsed.outcome == Outcome::kIntRange)) {
    throw UnfitInteger();
  }
  if (parsed.outcome == Outcome::kOk && unfit == Unfit::kWrap) warn_of_wrapping(shown, dtype);
  return parsed;
}

// Parses as a dtype. `unfit` tells what happens to integers out of its range.
Parsed parse_with(PyObject* value, PyObject* shown, Source source, DType dtype, Unfit unfit) {
  Parsed parsed = parse_as(value, source, dtype);
  if (parsed.outcome != Outcome::kIntRange) [[likely]]
    return parsed;
  return parse_unfit(value, shown, source, dtype, unfit);
}

Tensor parse_required(PyObject* value, PyObject* shown, Source source, DType dtype,
                      Unfit unfit = Unfit::kWrap) {
  Parsed parsed = parse_with(value, shown, source, dtype, unfit);
  if (parsed.outcome == Outcome::kOk) return std::move(parsed.tensor);
  // Errors that do not depend on the dtype are reported first.
  const Parsed natural = parse_natural(value, source);
  if (parsed.outcome == Outcome::kIntRange) raise(parsed, shown);
  if (natural.outcome == Outcome::kOk || natural.outcome == Outcome::kFloatRange) {
    cannot_convert(shown, dtype);
  }
  raise(natural, shown);
}

bool is_list(PyObject* tree) { return PyList_CheckExact(tree) || PyTuple_CheckExact(tree); }

std::span<PyObject* const> items_of(PyObject* list) {
  return {PySequence_Fast_ITEMS(list), static_cast<size_t>(PySequence_Fast_GET_SIZE(list))};
}

// The dtype of the first tensor in a normalised tree; kInvalid if there is none.
DType first_dtype(PyObject* tree) {
  if (is_tensor(tree)) return tensor_of(tree).dtype();
  if (!is_list(tree)) return DType::kInvalid;
  for (PyObject* item : items_of(tree)) {
    const DType dtype = first_dtype(item);
    if (dtype != DType::kInvalid) return dtype;
  }
  return DType::kInvalid;
}

// Lists that contain tensors are stacked, so that gradients pass. Tensors are cast only if the
// program asked for a dtype.
class Packer {
 public:
  Packer(DType dtype, bool cast) : dtype_(dtype), cast_(cast) {}

  Tensor run(PyObject* list) const {
    TensorList parts;
    const auto items = items_of(list);
    // If all items are tensors, the operation reports different dtypes.
    const bool all_tensors = std::all_of(items.begin(), items.end(), is_tensor);
    for (PyObject* item : items) {
      parts.push_back(all_tensors && !cast_ ? tensor_of(item) : part(item));
    }
    return call(ops::stack, parts, ops::StackAttrs{});
  }

 private:
  Tensor part(PyObject* item) const {
    if (is_tensor(item)) {
      const Tensor& tensor = tensor_of(item);
      if (cast_ || tensor.dtype() == dtype_) return cast_to(tensor, dtype_);
      fail(Code::kTypeError, "Cannot convert a list containing a tensor of dtype <dtype: '",
           dtype_name(tensor.dtype()), "'> to <dtype: '", dtype_name(dtype_),
           "'> (Tensor is: ", text_of(item), ")");
    }
    if (first_dtype(item) != DType::kInvalid) return run(item);
    if (is_array(item) || is_numpy_scalar(item)) return from_numpy(item, dtype_);
    return parse_required(item, item, Source::kNormalized, dtype_);
  }

  DType dtype_;
  bool cast_;
};

Tensor pack(PyObject* tree, DType dtype) {
  if (dtype != DType::kInvalid) return Packer(dtype, true).run(tree);
  return Packer(first_dtype(tree), false).run(tree);
}

bool dtype_misfit() {
  return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError);
}

// Runs `attempt(hint)`, and `attempt(kInvalid)` if that fails because of the dtype.
template <class Attempt>
Tensor with_hint(DType hint, const Attempt& attempt) {
  if (hint == DType::kInvalid) return attempt(hint);
  try {
    return attempt(hint);
  } catch (const PythonError&) {
    if (!dtype_misfit()) throw;
    PyErr_Clear();
  } catch (const Error& error) {
    if (error.code() != Code::kTypeError && error.code() != Code::kValueError &&
        error.code() != Code::kUnimplemented && error.code() != Code::kInvalidArgument) {
      throw;
    }
  }
  return attempt(DType::kInvalid);
}

// Checks that integers of NumPy fit another integer dtype. Elements of arrays may wrap without a
// warning, as in NumPy.
void check_fit(PyObject* value, DType dtype, Unfit unfit) {
  if (!is_integer(dtype) || unfit == Unfit::kWrapSilently) return;
  if (is_array(value) && unfit == Unfit::kWrap) return;
  const DType own = dtype_of_array(value);
  if (own == dtype || !is_integer(own) || fits(value, own, dtype)) return;
  if (unfit == Unfit::kThrow) throw UnfitInteger();
  warn_of_wrapping(value, dtype);
}

Tensor from_array(PyObject* value, DType dtype, DType hint, bool may_adopt, Unfit unfit) {
  check_fit(value, dtype != DType::kInvalid ? dtype : hint, unfit);
  if (dtype != DType::kInvalid) return from_numpy(value, dtype, may_adopt);
  return with_hint(hint, [&](DType wanted) { return from_numpy(value, wanted, may_adopt); });
}

Tensor parse_either(PyObject* tree, PyObject* shown, Source source, DType dtype, DType hint,
                    Unfit unfit) {
  if (dtype != DType::kInvalid) return parse_required(tree, shown, source, dtype, unfit);
  if (hint != DType::kInvalid) {
    Parsed parsed = parse_with(tree, shown, source, hint, unfit);
    if (parsed.outcome == Outcome::kOk) return std::move(parsed.tensor);
  }
  Parsed parsed = parse_natural(tree, source);
  if (parsed.outcome != Outcome::kOk) raise(parsed, shown);
  return std::move(parsed.tensor);
}

Tensor from_normalized(PyObject* value, DType dtype, DType hint, Unfit unfit) {
  Normalizer normalizer;
  const PyRef tree = normalizer.run(value);
  if (PyRange_Check(value) && hint == DType::kInvalid && dtype == DType::kInvalid) {
    hint = DType::kInt32;  // even if it is empty
  }
  if (is_tensor(tree)) return tensor_of(tree);
  if (is_array(tree)) return from_array(tree, dtype, hint, true, unfit);
  if (!normalizer.has_tensor()) {
    return parse_either(tree, value, Source::kNormalized, dtype, hint, unfit);
  }
  if (dtype != DType::kInvalid) return pack(tree, dtype);
  return with_hint(hint, [&](DType wanted) { return pack(tree, wanted); });
}

// Numbers, strings, lists and tuples.
Tensor from_python(PyObject* value, DType dtype, DType hint, Unfit unfit) {
  const DType wanted = dtype != DType::kInvalid ? dtype : hint;
  if (wanted != DType::kInvalid) {
    Parsed parsed = parse_with(value, value, Source::kPlain, wanted, unfit);
    if (parsed.outcome == Outcome::kOk) return std::move(parsed.tensor);
    if (parsed.outcome == Outcome::kNotPlain) return from_normalized(value, dtype, hint, unfit);
    if (dtype != DType::kInvalid) return parse_required(value, value, Source::kPlain, dtype);
  }
  Parsed parsed = parse_natural(value, Source::kPlain);
  if (parsed.outcome == Outcome::kOk) return std::move(parsed.tensor);
  if (parsed.outcome == Outcome::kNotPlain) return from_normalized(value, dtype, hint, unfit);
  raise(parsed, value);
}

Tensor from_variable(PyObject* value, DType dtype) {
  if (dtype != DType::kInvalid && variable_dtype(value) != dtype) {
    fail(Code::kValueError, "Incompatible type conversion requested to type ", dtype_name(dtype),
         " for `tf.Variable of type ", dtype_name(variable_dtype(value)),
         ". (Variable: ", text_of(value), ")");
  }
  return read_variable(value);
}

Tensor from_shape(PyObject* value, PyObject* list, DType dtype, DType hint) {
  if (dtype == DType::kInvalid && hint == DType::kInt64) dtype = hint;
  if (dtype != DType::kInvalid && dtype != DType::kInt32 && dtype != DType::kInt64) {
    fail(Code::kTypeError, "Cannot convert TensorShape ", str_of(value), " to dtype <dtype: '",
         dtype_name(dtype), "'>. Allowed dtypes are tf.int32 and tf.int64.");
  }
  const Py_ssize_t rank = PySequence_Size(list);
  if (rank < 0) throw PythonError();
  if (rank == 0) {
    return Tensor::empty(dtype == DType::kInvalid ? DType::kInt32 : dtype, {0});
  }
  return parse_either(list, value, Source::kPlain, dtype, DType::kInvalid, Unfit::kWrap);
}

Tensor from_foreign(PyObject* value, DType dtype, DType hint, Unfit unfit) {
  if (!conversions().empty()) {
    Tensor tensor =
        dtype != DType::kInvalid
            ? from_registry(value, dtype)
            : with_hint(hint, [&](DType wanted) { return from_registry(value, wanted); });
    if (tensor) return tensor;
  }
  if (is_number_or_text(value) || PyList_Check(value) || PyTuple_Check(value)) {
    return from_normalized(value, dtype, hint, unfit);
  }
  if (Tensor tensor = from_protocol(value, dtype)) return tensor;
  if (const PyRef list = shape_list(value)) return from_shape(value, list, dtype, hint);
  if (const PyRef array = PyRef::steal(array_of(value))) {
    return from_array(array, dtype, hint, true, unfit);
  }
  return from_normalized(value, dtype, hint, unfit);
}

PyObject* dtype_objects[kDTypeCount] = {};

DType dtype_from_text(PyObject* value) {
  const char* name = PyUnicode_AsUTF8(value);
  if (!name) {
    PyErr_Clear();
    return DType::kInvalid;
  }
  const std::string_view text = name;
  if (text == "half") return DType::kFloat16;
  if (text == "float") return DType::kFloat32;
  if (text == "double") return DType::kFloat64;
  return dtype_from_name(name);
}

DType dtype_from_object(PyObject* value) {
  if (PyUnicode_Check(value)) return dtype_from_text(value);
  if (PyLong_Check(value)) {
    const long number = PyLong_AsLong(value);
    PyErr_Clear();
    const bool known = number > 0 && number < kDTypeCount && dtype_objects[number];
    return known ? static_cast<DType>(number) : DType::kInvalid;
  }
  if (value == reinterpret_cast<PyObject*>(&PyFloat_Type)) return DType::kFloat32;
  if (value == reinterpret_cast<PyObject*>(&PyBool_Type)) return DType::kBool;
  if (value == reinterpret_cast<PyObject*>(&PyBaseObject_Type)) return DType::kString;
  const DType dtype = dtype_from_numpy(value);
  if (dtype != DType::kInvalid || is_tensor(value) || is_variable(value)) return dtype;
  if (PyType_Check(value)) return DType::kInvalid;
  // Arrays, and all other objects with a NumPy dtype.
  const PyRef inner = attribute(value, "dtype");
  return inner && PyArray_DescrCheck(inner.get()) ? dtype_from_numpy(inner) : DType::kInvalid;
}

}  // namespace

[[gnu::hot]] Tensor to_tensor(PyObject* value, DType dtype, DType hint, Unfit unfit) {
  if (is_tensor(value)) {
    const Tensor& tensor = tensor_of(value);
    if (dtype == DType::kInvalid || dtype == tensor.dtype()) return tensor;
    fail(Code::kValueError, "Tensor conversion requested dtype ", dtype_name(dtype),
         " for Tensor with dtype ", dtype_name(tensor.dtype()), ": ", text_of(value));
  }
  if (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
      PyList_CheckExact(value) || PyTuple_CheckExact(value) || PyUnicode_CheckExact(value) ||
      PyBytes_CheckExact(value) || PyComplex_CheckExact(value)) {
    return from_python(value, dtype, hint, unfit);
  }
  if (value == Py_None) unsupported(value);
  if (is_array(value) || is_numpy_scalar(value)) {
    return from_array(value, dtype, hint, false, unfit);
  }
  if (is_variable(value)) return from_variable(value, dtype);
  return from_foreign(value, dtype, hint, unfit);
}

void register_conversion(PyObject* cls, PyObject* function, long priority) {
  std::vector<Conversion>& list = conversions();
  const auto position = std::find_if(
      list.begin(), list.end(), [&](const Conversion& other) { return other.priority > priority; });
  list.insert(position, {Py_NewRef(cls), Py_NewRef(function), priority});
}

PyTypeObject* dtype_type = nullptr;

void register_dtypes(PyObject* table) {
  PyObject* key;
  PyObject* value;
  Py_ssize_t position = 0;
  if (!PyDict_Check(table)) fail(Code::kTypeError, "The table of dtypes must be a dict.");
  while (PyDict_Next(table, &position, &key, &value)) {
    const long number = PyLong_AsLong(key);
    if (number == -1 && PyErr_Occurred()) throw PythonError();
    // Dtypes without an element size, such as resource, are only names to the engine.
    if (number <= 0 || number >= kDTypeCount || element_size(static_cast<DType>(number)) == 0) {
      continue;
    }
    Py_INCREF(value);
    Py_XSETREF(dtype_objects[number], value);
    dtype_type = Py_TYPE(value);
  }
}

bool is_dtype_object(PyObject* value) {
  return std::find(std::begin(dtype_objects), std::end(dtype_objects), value) !=
         std::end(dtype_objects);
}

DType to_dtype(PyObject* value) {
  for (int i = 1; i < kDTypeCount; ++i) {
    if (dtype_objects[i] == value) return static_cast<DType>(i);
  }
  const DType dtype = dtype_from_object(value);
  if (dtype == DType::kInvalid) {
    fail(Code::kTypeError, "Cannot convert the argument `type_value`: ", text_of(value),
         " to a TensorFlow DType.");
  }
  return dtype;
}

PyObject* dtype_object(DType dtype) {
  PyObject* object = dtype_objects[static_cast<int>(dtype)];
  if (!object) fail(Code::kInternal, "The DType object of ", dtype, " was never registered.");
  return Py_NewRef(object);
}

}  // namespace ef::py
