// The class ComposedOp of eagerflow._core.
#include "bindings/composed_ops.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bindings/check_arguments.h"
#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/override.h"
#include "graph/graph.h"
#include "ops/input_checks.h"

namespace nb = nanobind;

namespace ef::py {
namespace {

template <class Body>
void translated(const Body& body) {
  try {
    return body();
  } catch (...) {
    set_python_error();
  }
  throw nb::python_error();
}

DTypeSet dtypes_of(nb::handle objects) {
  DTypeSet types;
  for (nb::handle object : objects) types = types | DTypeSet{to_dtype(object.ptr())};
  return types;
}

// Whether an argument, or an item in it, overrides functions and is not a composite tensor.
bool is_symbolic(PyObject* argument, int depth) {
  constexpr int kMaxDepth = 8;
  if (!argument || is_plain(argument) || depth == kMaxDepth) return false;
  if (PyList_Check(argument) || PyTuple_Check(argument)) {
    const Items items(argument);
    return std::any_of(items.begin(), items.end(),
                       [depth](PyObject* item) { return is_symbolic(item, depth + 1); });
  }
  return overrides(argument) && !PyObject_HasAttrString(argument, "_is_composite_tensor");
}

Converts converts_of(std::string_view name) {
  if (name == "together") return Converts::kTogether;
  if (name == "alone") return Converts::kAlone;
  if (name == "like_first") return Converts::kLikeFirst;
  fail(Code::kTypeError, "Inputs convert together, alone or like_first, not ", name, ".");
}

AttrKind kind_of(std::string_view name) {
  if (name == "int") return AttrKind::kInt;
  if (name == "float") return AttrKind::kFloat;
  if (name == "bool") return AttrKind::kBool;
  if (name == "DType") return AttrKind::kDType;
  if (name == "str") return AttrKind::kEnum;
  fail(Code::kTypeError,
       "Attributes of a composed operation are int, float, bool, str or DType, or lists of these, "
       "not ",
       name, ".");
}

// An operation that is composed in Python. It has a declaration as in the op table, but no kernel.
class ComposedOp {
 public:
  ComposedOp(nb::str op, nb::list parameters, nb::list inputs, nb::list attrs, bool checked_first)
      : checked_first_(checked_first) {
    translated([&] {
      declaration_.op = keep(op);
      for (nb::handle parameter : parameters) {
        const auto [name, required] = nb::cast<std::tuple<nb::str, bool>>(parameter);
        parameters_.push_back({name, required});
      }
      for (nb::handle input : inputs) declaration_.tensors.push_back(input_of(input));
      for (nb::handle attr : attrs) declaration_.attrs.push_back(attr_of(attr));
    });
  }

  PyObject* call(PyObject* body, PyObject* const* args, size_t nargsf, PyObject* keywords) const {
    const auto positional = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
    const auto check_call = [&] { return check(args, positional, keywords); };
    if (checked_first_ && !guarded(false, check_call)) return nullptr;
    PyObject* result = PyObject_Vectorcall(body, args, nargsf, keywords);
    if (!result) replace_exception(declaration_.op, check_call);
    return result;
  }

 private:
  struct Parameter {
    nb::str name;
    bool required;
  };

  const char* keep(nb::handle word) {
    words_.push_back(nb::cast<nb::str>(word));
    return words_.back().c_str();
  }

  size_t position_of(const std::string& name) const {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (name == parameters_[i].name.c_str()) return i;
    }
    fail(Code::kTypeError, "The function that composes ", declaration_.op, " has no parameter ",
         name, ".");
  }

  // From (name, dtypes, type, variadic, converts, prefer, no_kernel).
  TensorParameter input_of(nb::handle input) {
    const auto [name, dtypes, type, variadic, converts, prefer, no_kernel] = nb::cast<
        std::tuple<std::string, nb::object, nb::object, bool, std::string, nb::object, nb::object>>(
        input);
    const size_t position = position_of(name);
    const DTypeSet types = dtypes_of(dtypes);
    DTypeSet missing = dtypes_of(no_kernel);
    // The table's rule for strings, that stored types are declared beside them, is not meant here.
    if (!missing.bits() && types.only() == DType::kInvalid) missing = {DType::kInvalid};
    return {.spec = {.name = parameters_[position].name.c_str(),
                     .dtypes = types,
                     .type = keep(type),
                     .variadic = variadic,
                     .converts = converts_of(converts),
                     .prefer = prefer.is_none() ? DType::kInvalid : to_dtype(prefer.ptr()),
                     .no_kernel = missing},
            .position = position,
            .has_default = !parameters_[position].required};
  }

  // From (name, kind, whether it is a list of such values).
  AttrParameter attr_of(nb::handle attr) {
    const auto [name, kind, list] = nb::cast<std::tuple<std::string, std::string, bool>>(attr);
    const size_t position = position_of(name);
    return {.name = parameters_[position].name.c_str(),
            .kind = kind_of(kind),
            .list = list,
            .position = position,
            .has_default = !parameters_[position].required};
  }

  // Puts the arguments into parameter order. False if they do not match; the body then raises.
  bool match(PyObject* const* args, size_t positional, PyObject* keywords,
             std::vector<PyObject*>& values) const {
    if (positional > parameters_.size()) return false;
    values.assign(parameters_.size(), nullptr);
    std::copy(args, args + positional, values.begin());
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
      size_t i = 0;
      PyObject* const key = PyTuple_GET_ITEM(keywords, k);
      while (i < values.size() && PyUnicode_Compare(parameters_[i].name.ptr(), key)) ++i;
      if (i == values.size() || values[i]) return false;
      values[i] = args[positional + static_cast<size_t>(k)];
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (parameters_[i].required && !values[i]) return false;
    }
    return true;
  }

  // Throws TensorFlow's first error for these arguments, if there is one. Symbolic arguments have
  // no dtype to check; the body handles them.
  bool check(PyObject* const* args, size_t positional, PyObject* keywords) const {
    std::vector<PyObject*> values;
    if (!match(args, positional, keywords, values)) return true;
    if (std::any_of(values.begin(), values.end(), [](PyObject* v) { return is_symbolic(v, 0); })) {
      return true;
    }
    graph::with_type_errors([&] { check_arguments(declaration_, values.data()); });
    return true;
  }

  std::vector<nb::str> words_;         // owns the texts of the declaration
  std::vector<Parameter> parameters_;  // of the function, in order
  Declaration declaration_;
  bool checked_first_;
};

std::string quoted(nb::handle word) { return cat('"', nb::cast<std::string>(word), '"'); }

// Raises unless a dtype is one of the allowed dtypes, or a word one of the allowed words.
void refuse_value(const std::string& attr, nb::handle value, nb::iterable allowed,
                  const std::string& op) {
  translated([&] {
    if (!nb::isinstance<nb::str>(value)) {
      refuse_attr(attr, to_dtype(value.ptr()), dtypes_of(allowed), op);
    }
    std::string words;
    for (nb::handle word : allowed) words += (words.empty() ? "" : ", ") + quoted(word);
    refuse_attr(attr, quoted(value), words, op);
  });
}

void refuse_dtype(const std::string& op, size_t index, nb::handle expected, nb::handle dtype) {
  translated([&] { refuse_input(op, index, to_dtype(expected.ptr()), to_dtype(dtype.ptr())); });
}

}  // namespace

PyObject* call_composed(PyObject* composed_op, PyObject* body, PyObject* const* args, size_t nargsf,
                        PyObject* keywords) {
  return nb::inst_ptr<ComposedOp>(composed_op)->call(body, args, nargsf, keywords);
}

void add_composed_ops(nb::module_& module) {
  nb::class_<ComposedOp>(
      module, "ComposedOp",
      "An operation that is composed in Python, with a declaration as in the op table.")
      .def(nb::init<nb::str, nb::list, nb::list, nb::list, bool>(), nb::arg("op"),
           nb::arg("parameters"), nb::arg("inputs"), nb::arg("attrs"), nb::arg("checked_first"));
  module.def("refuse_attr", refuse_value, nb::arg("attr"), nb::arg("value"), nb::arg("allowed"),
             nb::arg("op") = "",
             "Raises TensorFlow's error for an attribute's dtype, or word, that is not allowed.");
  module.def("refuse_input", refuse_dtype, nb::arg("op"), nb::arg("index"), nb::arg("expected"),
             nb::arg("dtype"), "Raises TensorFlow's error for an input of the wrong dtype.");
}

}  // namespace ef::py
