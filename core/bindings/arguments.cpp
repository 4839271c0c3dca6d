// Matches and converts the arguments of calls from Python, and raises their errors.
#include "bindings/arguments.h"

#include <algorithm>
#include <string_view>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/items.h"
#include "bindings/py_ref.h"
#include "bindings/py_variable.h"
#include "bindings/unfit_integers.h"
#include "graph/record.h"
#include "ops/input_checks.h"
#include "ops/op.h"
#include "ops/random.h"

namespace ef::py {
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

size_t attr_index(const Op& op, const std::vector<AttrField>& attrs, std::string_view name) {
  for (size_t k = 0; k < attrs.size(); ++k) {
    if (attrs[k].name == name) return k;
  }
  fail(Code::kInternal, op.name, " has no attribute ", name, ".");
}

// TensorFlow's declaration of the operation: its tensors and attributes.
Declaration declaration_of(const Op& op, const std::vector<AttrField>& attrs) {
  Declaration declaration{.op = op.tf_name, .tensors = {}, .attrs = {}};
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    declaration.tensors.push_back({op.inputs[i], i, op.inputs[i].optional});
  }
  std::vector<bool> is_tensor(attrs.size());
  for (const TensorAttr& attr : op.tensor_attrs) {
    const size_t k = attr_index(op, attrs, attr.name);
    const DType only = dtype_from_name(attr.type);
    const DTypeSet dtypes = only == DType::kInvalid ? kIndexTypes : DTypeSet{only};
    is_tensor[k] = true;
    declaration.tensors.push_back(
        {{.name = attr.name, .dtypes = dtypes, .type = attr.type, .prefer = DType::kInt32},
         op.inputs.size() + k,
         !attrs[k].required});
  }
  for (size_t k = 0; k < attrs.size(); ++k) {
    if (is_tensor[k]) continue;
    declaration.attrs.push_back(
        {attrs[k].name.c_str(), attrs[k].kind, false, op.inputs.size() + k, !attrs[k].required});
  }
  return declaration;
}

DType dtype_of_ours(PyObject* value) {
  if (is_tensor(value)) return tensor_of(value).dtype();
  return is_variable(value) ? variable_dtype(value) : DType::kInvalid;
}

// The dtype of an earlier input of the same type.
DType earlier_dtype(const InputSpec& spec, const TensorList& inputs) {
  const auto first = static_cast<size_t>(spec.first);
  return first < inputs.size() ? inputs[first].dtype() : DType::kInvalid;
}

// The dtype that a Python value of input `i` must have; kInvalid if no other argument fixes it.
DType demanded_dtype(const Op& op, size_t i, PyObject* const* values, const TensorList& inputs) {
  const InputSpec& spec = op.inputs[i];
  if (const DType only = spec.dtypes.only(); only != DType::kInvalid) return only;
  if (spec.converts == Converts::kAlone) return DType::kInvalid;
  if (spec.converts == Converts::kTogether) {
    for (size_t j = 0; j < op.inputs.size(); ++j) {
      if (op.inputs[j].first != spec.first || !values[j]) continue;
      const DType dtype = dtype_of_ours(values[j]);
      if (dtype != DType::kInvalid) return dtype;
    }
  }
  return earlier_dtype(spec, inputs);
}

[[gnu::hot]] Tensor convert_input(PyObject* value, DType dtype, DType hint,
                                  Unfit unfit = Unfit::kWrap) {
  if (is_tensor(value)) return tensor_of(value);
  if (is_variable(value)) return read_variable(value);
  return to_tensor(value, dtype, hint, unfit);
}

void convert_list(const InputSpec& spec, PyObject* value, const Op& op, TensorList& inputs) {
  const PyRef sequence = checked(PySequence_Fast(value, "expected a list of tensors"));
  const Items items(sequence);
  DType hint = spec.prefer;
  const bool together = spec.converts == Converts::kTogether;
  for (PyObject* item : items) {
    const DType dtype = dtype_of_ours(item);
    if (together && dtype != DType::kInvalid) hint = dtype;
  }
  if (items.size() == 0 && !spec.optional) {
    fail(Code::kValueError, "List argument '", spec.name, "' to '", op.name,
         "' Op with length 0 shorter than minimum length 1.");
  }
  for (PyObject* item : items) {
    inputs.push_back(convert_input(item, DType::kInvalid, hint));
    if (together && hint == DType::kInvalid) hint = inputs.back().dtype();
  }
}

[[noreturn]] void missing(const Signature& signature, const char* name) {
  fail(Code::kTypeError, signature.op.name, "() missing 1 required positional argument: '", name,
       "'");
}

uint8_t choose(const Signature& signature, size_t k, PyObject* value) {
  const auto& words = signature.choices[k];
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : nullptr;
  for (size_t i = 0; text && i < words.size(); ++i) {
    if (words[i] == text) return static_cast<uint8_t>(i);
  }
  if (PyErr_Occurred()) throw PythonError();
  fail(Code::kValueError, "Argument '", signature.attrs[k].name, "' of ", signature.op.name,
       " must be one of ", signature.attrs[k].words, ", got ",
       text ? text : Py_TYPE(value)->tp_name);
}

DType checked_dtype(const AttrField& field, DType dtype) {
  if (!field.dtypes.contains(dtype)) refuse_attr(field.name, dtype, field.dtypes);
  return dtype;
}

// Random integers may be as small as their dtype allows; all other integers are axes or sizes.
int64_t number_of(const Op& op, PyObject* value, const char* name, bool symbolic) {
  const int64_t number = to_int(value, name);
  const bool any = symbolic || &op == &ops::philox_uniform_int;
  return any ? number : as_known(number);
}

Shape to_shape(PyObject* value, const char* name, bool symbolic) {
  Ints sizes = to_ints(value, name, true);
  if (!symbolic) return Shape(sizes);
  if (sizes.is_unknown()) return Shape::unranked();
  for (int64_t& size : sizes) {
    if (size == kUnknownInt) {
      size = kUnknownSize;
    } else if (size < 0) {
      invalid_argument("Dimension ", size, " must be >= 0");
    }
  }
  return Shape(sizes);
}

void convert_attr(const Signature& signature, size_t k, PyObject* value, AttrsBuffer& attrs,
                  bool symbolic) {
  const AttrField& field = signature.attrs[k];
  const char* const name = field.name.c_str();
  switch (field.kind) {
    case AttrKind::kInt:
      attrs.at<int64_t>(field) = number_of(signature.op, value, name, symbolic);
      return;
    case AttrKind::kBool: attrs.at<bool>(field) = to_bool(value, name); return;
    case AttrKind::kFloat: attrs.at<double>(field) = to_double(value, name); return;
    case AttrKind::kDType: attrs.at<DType>(field) = checked_dtype(field, to_dtype(value)); return;
    case AttrKind::kInts: {
      auto& list = attrs.at<Ints>(field);
      list.clear();
      append_ints(value, name, false, list);
      if (!symbolic) std::ranges::transform(list, list.begin(), as_known);
      return;
    }
    case AttrKind::kShape: attrs.at<Shape>(field) = to_shape(value, name, symbolic); return;
    case AttrKind::kEnum: attrs.at<uint8_t>(field) = choose(signature, k, value); return;
  }
}

}  // namespace

Signature::Signature(const Op& entry)
    : op(entry),
      num_inputs(entry.inputs.size()),
      variadic(!entry.inputs.empty() && entry.inputs.back().variadic),
      unfit(sees_values(entry) ? Unfit::kThrow : Unfit::kWrap) {
  if (op.attrs) attrs = op.attrs->fields();
  if (num_inputs > Borrowed::kMax || num_inputs + attrs.size() + 1 > kMaxParameters) {
    fail(Code::kInternal, op.name, " has more inputs or attributes than a call has room for.");
  }
  for (const InputSpec& input : op.inputs) names.push_back(PyUnicode_InternFromString(input.name));
  for (const AttrField& attr : attrs) {
    required_attrs |= uint64_t{attr.required} << choices.size();
    names.push_back(PyUnicode_InternFromString(attr.name.c_str()));
    choices.push_back(split_words(attr.words));
  }
  names.push_back(PyUnicode_InternFromString("name"));
  declaration = declaration_of(op, attrs);
}

[[gnu::hot]] void match_arguments(const Signature& signature, PyObject* const* args,
                                  size_t positional, PyObject* keywords, PyObject** values) {
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
    size_t index = count;
    for (size_t i = 0; i < count && index == count; ++i) {
      if (signature.names[i] == key) index = i;
    }
    // Strings that were not interned are rare: compare their text only then.
    for (size_t i = 0; i < count && index == count; ++i) {
      if (PyUnicode_Compare(signature.names[i], key) == 0) index = i;
    }
    const char* text = PyUnicode_AsUTF8(key);
    if (index == count) {
      fail(Code::kTypeError, signature.op.name, "() got an unexpected keyword argument '",
           text ? text : "?", "'");
    }
    if (values[index]) {
      fail(Code::kTypeError, signature.op.name, "() got multiple values for argument '",
           text ? text : "?", "'");
    }
    values[index] = args[positional + static_cast<size_t>(k)];
  }
}

void require_arguments(const Signature& signature, PyObject* const* values) {
  for (size_t i = 0; i + 1 < signature.names.size(); ++i) {
    if (values[i]) continue;
    if (i < signature.num_inputs) {
      if (!signature.op.inputs[i].optional) missing(signature, signature.op.inputs[i].name);
    } else if (signature.attrs[i - signature.num_inputs].required) {
      missing(signature, signature.attrs[i - signature.num_inputs].name.c_str());
    }
  }
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
    const DType earlier = earlier_dtype(spec, inputs);
    const DType hint = earlier != DType::kInvalid ? earlier : spec.prefer;
    inputs.push_back(
        convert_input(values[i], demanded_dtype(op, i, values, inputs), hint, signature.unfit));
  }
}

[[gnu::hot]] void set_attr(const Signature& signature, size_t k, PyObject* value,
                           AttrsBuffer& attrs, bool symbolic) {
  const AttrField& field = signature.attrs[k];
  if (!value || (value == Py_None && !field.required)) {
    if (field.required) missing(signature, field.name.c_str());
    return;
  }
  try {
    convert_attr(signature, k, value, attrs, symbolic);
  } catch (const Error& error) {
    throw Error(error.code(), cat(error.what(), " [Op:", signature.op.tf_name, "]"));
  }
}

}  // namespace ef::py
