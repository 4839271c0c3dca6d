// Calls from Python: arguments are matched against the table entry, converted, and dispatched.
#include "bindings/op_function.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "eager/dispatch.h"
#include "ops/op.h"

namespace ef::py {

// An attribute's default, read once from the table's text.
struct Fallback {
  enum Kind { kRequired, kNone, kWord, kList } kind = kRequired;
  int64_t word = 0;
};

// What a call needs to know about an op beyond the table entry. Lives as long as the process.
struct Signature {
  explicit Signature(const Op& entry);

  const Op& op;
  std::vector<PyObject*> names;  // interned: inputs, attributes, "name"
  std::vector<Fallback> fallbacks;
  std::vector<std::vector<std::string>> choices;  // per attribute, an enum's words
  size_t num_inputs;
  bool variadic;
};

namespace {

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t bar = std::min(text.find('|'), text.size());
    words.emplace_back(text.substr(0, bar));
    text.remove_prefix(std::min(bar + 1, text.size()));
  }
  return words;
}

Fallback parse_fallback(const AttrSpec& spec, const std::vector<std::string>& words) {
  if (!spec.fallback) return {};
  const std::string_view text = spec.fallback;
  if (text == "None") return {Fallback::kNone, 0};
  if (text == "True") return {Fallback::kWord, 1};
  if (text == "False") return {Fallback::kWord, 0};
  switch (spec.kind) {
    case AttrKind::kFloat:
      return {Fallback::kWord, std::bit_cast<int64_t>(std::strtod(spec.fallback, nullptr))};
    case AttrKind::kDType:
      return {Fallback::kWord, static_cast<int64_t>(dtype_from_name(
                                   std::string(text.substr(1, text.size() - 2)).c_str()))};
    case AttrKind::kEnum: {
      const auto word = text.substr(1, text.size() - 2);
      const auto found = std::find(words.begin(), words.end(), word);
      return {Fallback::kWord, found - words.begin()};
    }
    case AttrKind::kInts:
    case AttrKind::kShape: return {Fallback::kList, std::strtoll(spec.fallback, nullptr, 10)};
    default: return {Fallback::kWord, std::strtoll(spec.fallback, nullptr, 10)};
  }
}

}  // namespace

Signature::Signature(const Op& entry)
    : op(entry),
      num_inputs(entry.inputs.size()),
      variadic(!entry.inputs.empty() && entry.inputs.back().variadic) {
  if (num_inputs > Borrowed::kMax || op.attrs.size() > Attrs::kMaxAttrs) {
    fail(Code::kInternal, op.name, " has more inputs or attributes than a call has room for.");
  }
  for (const InputSpec& input : op.inputs) names.push_back(PyUnicode_InternFromString(input.name));
  for (const AttrSpec& attr : op.attrs) {
    names.push_back(PyUnicode_InternFromString(attr.name));
    choices.push_back(split_words(attr.choices));
    fallbacks.push_back(parse_fallback(attr, choices.back()));
  }
  names.push_back(PyUnicode_InternFromString("name"));
}

namespace {

constexpr size_t kMaxParameters = Borrowed::kMax + Attrs::kMaxAttrs + 1;

// Puts the arguments of a vectorcall into parameter order; absent ones are null.
void match_arguments(const Signature& signature, PyObject* const* args, size_t positional,
                     PyObject* keywords, PyObject** values) {
  const size_t count = signature.names.size();
  if (positional > count) {
    fail(Code::kTypeError, signature.op.name, "() takes from 0 to ", count,
         " positional arguments but ", positional, " were given");
  }
  std::copy(args, args + positional, values);
  std::fill(values + positional, values + count, nullptr);
  if (!keywords) return;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); ++k) {
    PyObject* key = PyTuple_GET_ITEM(keywords, k);
    size_t found = count;
    for (size_t i = 0; i < count && found == count; ++i) {
      if (signature.names[i] == key) found = i;
    }
    // Strings that were not interned are rare: compare their text only then.
    for (size_t i = 0; i < count && found == count; ++i) {
      if (PyUnicode_Compare(signature.names[i], key) == 0) found = i;
    }
    const char* text = PyUnicode_AsUTF8(key);
    if (found == count) {
      fail(Code::kTypeError, signature.op.name, "() got an unexpected keyword argument '",
           text ? text : "?", "'");
    }
    if (values[found]) {
      fail(Code::kTypeError, signature.op.name, "() got multiple values for argument '",
           text ? text : "?", "'");
    }
    values[found] = args[positional + static_cast<size_t>(k)];
  }
}

DType dtype_of_ours(PyObject* value) {
  if (is_tensor(value)) return tensor_of(value).dtype();
  return is_variable(value) ? variable_of(value).dtype() : DType::kInvalid;
}

// The dtype that Python values of an input must take: the only one allowed, or that of a tensor in
// the group. kInvalid where nothing binds them.
DType demanded_dtype(const Op& op, const InputSpec& spec, PyObject* const* values) {
  if (spec.group == 0) return spec.dtypes.only();
  if (op.converts_in_turn) return DType::kInvalid;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].group != spec.group || !values[i]) continue;
    const DType dtype = dtype_of_ours(values[i]);
    if (dtype != DType::kInvalid) return dtype;
  }
  return spec.dtypes.only();
}

// The dtype of an earlier input in the same group.
DType earlier_dtype(const Op& op, const TensorList& inputs) {
  const size_t i = inputs.size();
  for (size_t j = 0; j < i; ++j) {
    if (op.inputs[i].group != 0 && op.inputs[j].group == op.inputs[i].group) {
      return inputs[j].dtype();
    }
  }
  return DType::kInvalid;
}

Tensor convert_input(PyObject* value, DType dtype, DType hint) {
  if (is_tensor(value)) return tensor_of(value);
  if (is_variable(value)) return read_variable(value);
  return to_tensor(value, dtype, hint);
}

void convert_list(const InputSpec& spec, PyObject* value, const Op& op, TensorList& inputs) {
  const PyRef sequence = checked(PySequence_Fast(value, "expected a list of tensors"));
  const Items items(sequence);
  DType hint = spec.prefer;
  for (PyObject* item : items) {
    const DType dtype = dtype_of_ours(item);
    if (dtype != DType::kInvalid) hint = dtype;
  }
  if (items.size() == 0) {
    fail(Code::kValueError, "List argument '", spec.name, "' to '", op.name,
         "' Op with length 0 shorter than minimum length 1.");
  }
  for (PyObject* item : items) {
    inputs.push_back(convert_input(item, DType::kInvalid, hint));
    if (hint == DType::kInvalid) hint = inputs.back().dtype();
  }
}

std::string missing_text(const Signature& signature, const char* name) {
  return cat(signature.op.name, "() missing 1 required positional argument: '", name, "'");
}

[[noreturn]] void missing(const Signature& signature, const char* name) {
  fail(Code::kTypeError, missing_text(signature, name));
}

[[gnu::noinline]] void convert_inputs(const Signature& signature, PyObject* const* values,
                                      TensorList& inputs) {
  const Op& op = signature.op;
  for (size_t i = 0; i < signature.num_inputs; ++i) {
    const InputSpec& spec = op.inputs[i];
    if (!values[i]) {
      if (spec.optional) return;
      missing(signature, spec.name);
    }
    if (spec.optional && values[i] == Py_None) return;
    if (spec.variadic) {
      convert_list(spec, values[i], op, inputs);
      continue;
    }
    const DType earlier = earlier_dtype(op, inputs);
    DType dtype = demanded_dtype(op, spec, values);
    if (dtype == DType::kInvalid && !op.converts_in_turn) dtype = earlier;
    const DType hint = earlier != DType::kInvalid ? earlier : spec.prefer;
    inputs.push_back(convert_input(values[i], dtype, hint));
  }
}

int64_t choose(const Signature& signature, size_t k, PyObject* value) {
  const auto& words = signature.choices[k];
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : nullptr;
  for (size_t i = 0; text && i < words.size(); ++i) {
    if (words[i] == text) return static_cast<int64_t>(i);
  }
  if (PyErr_Occurred()) throw PythonError();
  fail(Code::kValueError, "Argument '", signature.op.attrs[k].name, "' of ", signature.op.name,
       " must be one of ", signature.op.attrs[k].choices, ", got ",
       text ? text : Py_TYPE(value)->tp_name);
}

void append_fallback(const Signature& signature, size_t k, Attrs& attrs) {
  const Fallback& fallback = signature.fallbacks[k];
  switch (fallback.kind) {
    case Fallback::kRequired: missing(signature, signature.op.attrs[k].name);
    case Fallback::kNone: attrs.none(); return;
    case Fallback::kList: attrs.list({fallback.word}); return;
    case Fallback::kWord: attrs.integer(fallback.word); return;
  }
}

DType checked_dtype(const Op& op, const AttrSpec& spec, DType dtype) {
  if (spec.dtypes.contains(dtype)) [[likely]]
    return dtype;
  invalid_argument("Value for attr '", spec.name, "' of ", dtype,
                   " is not in the list of allowed values [Op:", op.tf_name, "]");
}

void append_value(const Signature& signature, size_t k, PyObject* value, Attrs& attrs) {
  const AttrSpec& spec = signature.op.attrs[k];
  switch (spec.kind) {
    case AttrKind::kInt: attrs.integer(to_int(value, spec.name)); return;
    case AttrKind::kBool: attrs.flag(to_bool(value, spec.name)); return;
    case AttrKind::kFloat: attrs.real(to_double(value, spec.name)); return;
    case AttrKind::kDType: attrs.dtype(checked_dtype(signature.op, spec, to_dtype(value))); return;
    case AttrKind::kInts: attrs.list(to_ints(value, spec.name)); return;
    case AttrKind::kShape: attrs.list(to_ints(value, spec.name, true)); return;
    case AttrKind::kEnum: attrs.integer(choose(signature, k, value)); return;
  }
}

void append_attr(const Signature& signature, size_t k, PyObject* value, Attrs& attrs) {
  const bool required = signature.fallbacks[k].kind == Fallback::kRequired;
  if (!value || (value == Py_None && !required)) return append_fallback(signature, k, attrs);
  try {
    append_value(signature, k, value, attrs);
  } catch (const Error& error) {
    throw Error(error.code(), cat(error.what(), " [Op:", signature.op.tf_name, "]"));
  }
}

// With an exception set: replaces it by the one that a function of Python's says the call deserves,
// reasons(TensorFlow's name, {name: value of each argument given}, exception).
PyObject* reasons = nullptr;

// The first parameter that must be given and was not; null if there is none.
const char* first_missing(const Signature& signature, PyObject* const* values) {
  for (size_t i = 0; i + 1 < signature.names.size(); ++i) {
    if (values[i]) continue;
    if (i < signature.num_inputs) {
      if (!signature.op.inputs[i].optional) return signature.op.inputs[i].name;
    } else if (signature.fallbacks[i - signature.num_inputs].kind == Fallback::kRequired) {
      return signature.op.attrs[i - signature.num_inputs].name;
    }
  }
  return nullptr;
}

void find_reason(const Signature& signature, PyObject* const* args, size_t positional,
                 PyObject* keywords) {
  if (!reasons || !PyErr_ExceptionMatches(PyExc_Exception)) return;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  const PyRef found = PyRef::steal(guarded([&]() -> PyObject* {
    PyObject* values[kMaxParameters];
    match_arguments(signature, args, positional, keywords, values);
    if (const char* name = first_missing(signature, values)) {
      return PyObject_CallFunction(PyExc_TypeError, "s", missing_text(signature, name).c_str());
    }
    const PyRef given = checked(PyDict_New());
    for (size_t i = 0; i + 1 < signature.names.size(); ++i) {
      if (!values[i]) continue;
      const bool has_default =
          i >= signature.num_inputs &&
          signature.fallbacks[i - signature.num_inputs].kind != Fallback::kRequired;
      if (values[i] == Py_None && has_default) continue;
      if (PyDict_SetItem(given, signature.names[i], values[i]) < 0) throw PythonError();
    }
    return PyObject_CallFunction(reasons, "sOO", signature.op.tf_name, given.get(), error);
  }));
  PyErr_Clear();
  if (!found || found.get() == error || !PyExceptionInstance_Check(found.get())) {
    PyErr_Restore(type, error, trace);
    return;
  }
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(trace);
  PyErr_SetObject(PyExceptionInstance_Class(found.get()), found);
}

PyObject* results(const Op& op, TensorList& outputs) {
  if (outputs.size() == 1 && !op.returns_list) return wrap(std::move(outputs[0]));
  const auto count = static_cast<Py_ssize_t>(outputs.size());
  PyObject* sequence = op.returns_list ? PyList_New(count) : PyTuple_New(count);
  if (!sequence) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = wrap(std::move(outputs[static_cast<size_t>(i)]));
    if (!item) {
      Py_DECREF(sequence);
      return nullptr;
    }
    if (op.returns_list) {
      PyList_SET_ITEM(sequence, i, item);
    } else {
      PyTuple_SET_ITEM(sequence, i, item);
    }
  }
  return sequence;
}

}  // namespace

const Signature* make_signature(const Op& op) { return new Signature(op); }

const Op& op_of(const Signature& signature) { return signature.op; }

PyObject* call_op(const Signature& signature, PyObject* const* args, size_t positional,
                  PyObject* keywords) {
  PyObject* result = guarded([&] {
    const Op& op = signature.op;
    PyObject* values[kMaxParameters];
    match_arguments(signature, args, positional, keywords, values);

    bool ready = !signature.variadic;
    for (size_t i = 0; ready && i < signature.num_inputs; ++i) {
      ready = values[i] && is_tensor(values[i]);
    }
    Attrs attrs;
    for (size_t k = 0; k < op.attrs.size(); ++k) {
      append_attr(signature, k, values[signature.num_inputs + k], attrs);
    }
    TensorList outputs;
    if (ready) {
      Borrowed inputs;
      for (size_t i = 0; i < signature.num_inputs; ++i) inputs.push(tensor_of(values[i]).impl());
      run(op, inputs.tensors(), attrs, outputs);
    } else {
      TensorList inputs;
      convert_inputs(signature, values, inputs);
      run(op, inputs, attrs, outputs);
    }
    return results(op, outputs);
  });
  if (!result) find_reason(signature, args, positional, keywords);
  return result;
}

PyObject* parameters(const Signature& signature) {
  PyObject* list = PyList_New(0);
  if (!list) return nullptr;
  for (size_t i = 0; i < signature.names.size(); ++i) {
    const char* fallback = nullptr;
    if (i + 1 == signature.names.size()) {
      fallback = "None";
    } else if (i >= signature.num_inputs) {
      fallback = signature.op.attrs[i - signature.num_inputs].fallback;
    } else if (signature.op.inputs[i].optional) {
      fallback = "None";
    }
    PyObject* pair = Py_BuildValue("(Oz)", signature.names[i], fallback);
    if (!pair || PyList_Append(list, pair) < 0) {
      Py_XDECREF(pair);
      Py_DECREF(list);
      return nullptr;
    }
    Py_DECREF(pair);
  }
  return list;
}

void register_reasons(PyObject* function) { Py_XSETREF(reasons, Py_NewRef(function)); }

}  // namespace ef::py
