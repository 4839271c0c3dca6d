// The class ComposedOp of eagerflow._core.
#include "bindings/composed_ops.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bindings/check_arguments.h"
#include "bindings/convert.h"
#include "bindings/errors.h"
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

// An operation that is composed in Python: declared as those of the table are, without a kernel.
class ComposedOp {
 public:
  ComposedOp(nb::str op, nb::list inputs, nb::list attrs) {
    translated([&] {
      declaration_.op = keep(op);
      for (nb::handle input : inputs) declaration_.tensors.push_back(input_of(input));
      for (nb::handle attr : attrs) declaration_.attrs.push_back(attr_of(attr));
    });
  }

  void check(nb::dict arguments) const {
    translated([&] {
      std::vector<PyObject*> values;
      for (const nb::str& name : names_) {
        values.push_back(PyDict_GetItemWithError(arguments.ptr(), name.ptr()));
        if (!values.back() && PyErr_Occurred()) throw PythonError();
      }
      check_arguments(declaration_, values.data());
    });
  }

 private:
  const char* keep(nb::handle word) {
    words_.push_back(nb::cast<nb::str>(word));
    return words_.back().c_str();
  }
  const char* keep_name(nb::handle name) {
    names_.push_back(nb::cast<nb::str>(name));
    return names_.back().c_str();
  }

  // From (name, dtypes, type, variadic, converts, prefer, no_kernel).
  TensorParameter input_of(nb::handle input) {
    const auto [name, dtypes, type, variadic, converts, prefer, no_kernel] = nb::cast<
        std::tuple<nb::object, nb::object, nb::object, bool, std::string, nb::object, nb::object>>(
        input);
    const size_t position = names_.size();
    return {.spec = {.name = keep_name(name),
                     .dtypes = dtypes_of(dtypes),
                     .type = keep(type),
                     .variadic = variadic,
                     .converts = converts_of(converts),
                     .prefer = prefer.is_none() ? DType::kInvalid : to_dtype(prefer.ptr()),
                     .no_kernel = dtypes_of(no_kernel)},
            .position = position,
            .has_default = false};
  }

  // From (name, kind, whether it is a list of such values).
  AttrParameter attr_of(nb::handle attr) {
    const auto [name, kind, list] = nb::cast<std::tuple<nb::object, std::string, bool>>(attr);
    const size_t position = names_.size();
    return {.name = keep_name(name),
            .kind = kind_of(kind),
            .list = list,
            .position = position,
            .has_default = false};
  }

  std::vector<nb::str> words_;  // hold the texts of the declaration
  std::vector<nb::str> names_;  // of the parameters
  Declaration declaration_;
};

std::string quoted(nb::handle word) { return cat('"', nb::cast<std::string>(word), '"'); }

// Of a dtype among dtypes, or a word among words.
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

void add_composed_ops(nb::module_& module) {
  nb::class_<ComposedOp>(
      module, "ComposedOp",
      "An operation that is composed in Python, as the op table would declare it.")
      .def(nb::init<nb::str, nb::list, nb::list>(), nb::arg("op"), nb::arg("inputs"),
           nb::arg("attrs"))
      .def("check", &ComposedOp::check, nb::arg("arguments"),
           "Raises what TensorFlow raises first for {name: value of each argument given}, if it "
           "refuses them.");
  module.def(
      "refuse_attr", refuse_value, nb::arg("attr"), nb::arg("value"), nb::arg("allowed"),
      nb::arg("op") = "",
      "Raises what TensorFlow raises for an attribute's dtype, or word, that is not allowed.");
  module.def("refuse_input", refuse_dtype, nb::arg("op"), nb::arg("index"), nb::arg("expected"),
             nb::arg("dtype"), "Raises what TensorFlow raises for an input of the wrong dtype.");
}

}  // namespace ef::py
