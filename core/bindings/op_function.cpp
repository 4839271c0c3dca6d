// Calls from Python: matches arguments with the table entry, converts them, and dispatches.
#include "bindings/op_function.h"

#include "bindings/arguments.h"
#include "bindings/errors.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/unfit_integers.h"
#include "eager/dispatch.h"
#include "graph/record.h"
#include "ops/op.h"

namespace ef::py {
namespace {

[[gnu::hot]] PyObject* results(const Op& op, TensorList& outputs) {
  if (outputs.size() != static_cast<size_t>(op.outputs) && !op.returns_list) [[unlikely]] {
    fail(Code::kInternal, op.name, " has ", outputs.size(), " results, not ", op.outputs, ".");
  }
  if (op.outputs == 1 && !op.returns_list) return wrap(std::move(outputs[0]));
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

// Adds the call as a node of a graph. Attributes may be symbolic, too.
void add_to_graph(graph::Graph& graph, const Signature& signature, PyObject* const* values,
                  TensorList& outputs) {
  const Op& op = signature.op;
  graph::HoleCollector collector;
  AttrsBuffer attrs(op.attrs);
  for (size_t k = 0; k < signature.attrs.size(); ++k) {
    collector.begin_field(static_cast<int32_t>(k));
    set_attr(signature, k, values[signature.num_inputs + k], attrs, true);
  }
  TensorList inputs;
  convert_inputs(signature, values, inputs);
  PyObject* const name = values[signature.names.size() - 1];
  const bool named = name && PyUnicode_Check(name);
  const char* const text = named ? PyUnicode_AsUTF8(name) : "";
  if (!text) throw PythonError();
  check_inputs(op, inputs);
  graph::add_call(graph, op, inputs, attrs, collector.holes(), text, outputs);
}

[[gnu::hot]] PyObject* convert_and_run(const Signature& signature, PyObject* const* args,
                                       size_t positional, PyObject* keywords) {
  const Op& op = signature.op;
  PyObject* values[kMaxParameters];
  match_arguments(signature, args, positional, keywords, values);

  TensorList outputs;
  if (graph::Graph* const graph = graph::building()) [[unlikely]] {
    add_to_graph(*graph, signature, values, outputs);
    return results(op, outputs);
  }
  bool ready = !signature.variadic;
  for (size_t i = 0; ready && i < signature.num_inputs; ++i) {
    ready = values[i] && is_tensor(values[i]);
  }
  AttrsBuffer attrs(op.attrs);
  for (size_t k = 0, count = signature.attrs.size(); k < count; ++k) {
    PyObject* const value = values[signature.num_inputs + k];
    if (value || (signature.required_attrs >> k & 1)) set_attr(signature, k, value, attrs, false);
  }
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
}

// Runs a call with integers that the dtype of the other inputs cannot hold.
[[gnu::cold, gnu::noinline]] PyObject* run_with_values(const Signature& signature,
                                                       PyObject* const* args, size_t positional,
                                                       PyObject* keywords) {
  PyObject* values[kMaxParameters];
  match_arguments(signature, args, positional, keywords, values);
  return wrap(call_with_values(signature.op, values, signature.op.inputs.size()));
}

}  // namespace

const Signature* make_signature(const Op& op) { return new Signature(op); }

const Op& op_of(const Signature& signature) { return signature.op; }

[[gnu::hot]] PyObject* call_op(const Signature& signature, PyObject* const* args, size_t positional,
                               PyObject* keywords) {
  PyObject* result = guarded([&] {
    try {
      return convert_and_run(signature, args, positional, keywords);
    } catch (const UnfitInteger&) {
      return run_with_values(signature, args, positional, keywords);
    }
  });
  if (!result) {
    replace_exception(signature.op.tf_name, [&] {
      PyObject* values[kMaxParameters];
      match_arguments(signature, args, positional, keywords, values);
      require_arguments(signature, values);
      graph::with_type_errors([&] { check_arguments(signature.declaration, values); });
    });
  }
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
      const AttrField& attr = signature.attrs[i - signature.num_inputs];
      fallback = attr.required ? nullptr : attr.fallback.c_str();
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

PyObject* kinds(const Signature& signature) {
  static constexpr const char* kNames[] = {"int",  "bool",  "float", "dtype",
                                           "ints", "shape", "enum"};
  const PyRef list = PyRef::steal(PyList_New(0));
  if (!list) return nullptr;
  const auto append = [&](const char* kind) {
    const PyRef text = PyRef::steal(PyUnicode_FromString(kind));
    return text && PyList_Append(list, text) == 0;
  };
  for (const InputSpec& input : signature.op.inputs) {
    if (!append(input.variadic ? "tensors" : "tensor")) return nullptr;
  }
  for (const AttrField& attr : signature.attrs) {
    if (!append(kNames[static_cast<size_t>(attr.kind)])) return nullptr;
  }
  return Py_NewRef(list.get());
}

}  // namespace ef::py
