// OpFunction behaves like a Python function: it binds to instances, has a signature, a module and a
// docstring, and is pickled by its name. Other attributes are those of the body.
#include "bindings/function_object.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>

#include "bindings/check_arguments.h"
#include "bindings/composed_ops.h"
#include "bindings/keyword_hints.h"
#include "bindings/op_function.h"
#include "bindings/override.h"
#include "bindings/promotion.h"
#include "bindings/py_ref.h"
#include "graph/graph.h"
#include "ops/op.h"

namespace ef::py {
namespace {

struct OpFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  const Signature* signature;  // of an operation of the table; null for a function with a body
  PyObject* body;              // runs if nothing overrides the call
  PyObject* in_graph;          // runs instead while a graph is built; null for the body
  PyObject* composed_op;       // the ComposedOp that the body computes; null if undeclared
  PyObject* dispatcher;        // holds the dispatchers that programs registered; may be null
  PyObject* promoter;          // promotes the operands of calls; may be null
  PyObject* promotion;         // a string: how it promotes, if not by default; may be null
  Py_ssize_t operands;         // the number of leading arguments to promote
  PyObject* weakrefs;
  int elementwise;  // the number of leading arguments with corresponding elements
  bool overridable;
};

OpFunction& self_of(PyObject* self) { return *reinterpret_cast<OpFunction*>(self); }

PyTypeObject* function_type = nullptr;

// Called after calls that failed; may be null.
PyObject* fallback = nullptr;

// Wraps calls of composed functions while a program's graph is built; may be null.
PyObject* namer = nullptr;

bool is_named(const OpFunction& function) {
  if (!function.body) return false;  // an operation of the table names its own node
  const graph::Graph* const graph = graph::building();
  return graph && namer && graph->kind() == graph::Graph::Kind::kProgram;
}

// Whether an argument is a function, or a list, tuple or dictionary with one, as `case` takes them.
bool has_function(PyObject* argument, int depth = 3) {
  if (PyCallable_Check(argument)) return true;
  if (depth == 0) return false;
  const PyRef values = PyRef::steal(PyDict_Check(argument) ? PyDict_Values(argument) : nullptr);
  PyObject* const list = values ? values.get() : argument;
  if (!PyList_Check(list) && !PyTuple_Check(list)) return false;
  PyObject** const items = PySequence_Fast_ITEMS(list);
  return std::any_of(items, items + PySequence_Fast_GET_SIZE(list),
                     [=](PyObject* item) { return has_function(item, depth - 1); });
}

// Makes a MemoryError that is set a ResourceExhaustedError of a function. Where the program has
// passed a function of its own, the error may come from there, and stays.
[[gnu::cold, gnu::noinline]] void explain_exhaustion(PyObject* self, PyObject* const* args,
                                                     size_t count) {
  if (!PyErr_ExceptionMatches(PyExc_MemoryError)) return;
  if (std::any_of(args, args + count, [](PyObject* one) { return has_function(one); })) return;
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  const PyRef name = PyRef::steal(PyObject_GetAttrString(self, "__name__"));
  const char* const text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  PyErr_Clear();
  PyErr_Restore(type, error, trace);
  replace_exception(text ? text : "", [] {});
}

// Lets the fallback replace a call that has raised a TypeError or ValueError, or explains the
// error. A MemoryError becomes ResourceExhaustedError, whatever code of the function asked for
// memory.
[[gnu::cold, gnu::noinline]] PyObject* after_failure(PyObject* self, PyObject* const* args,
                                                     size_t positional, PyObject* keywords) {
  explain_keywords(self, keywords);
  const size_t count = positional + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
  explain_exhaustion(self, args, count);
  if (!fallback ||
      (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))) {
    return nullptr;
  }
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyObject* result = call_dispatcher(self, fallback, args, positional, keywords);
  if (result != Py_NotImplemented) {  // Its own error is more specific than that of the call.
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    return result;
  }
  Py_DECREF(result);
  PyErr_Restore(type, error, trace);
  return nullptr;
}

[[gnu::hot]] PyObject* run(const OpFunction& function, PyObject* const* args, size_t nargsf,
                           PyObject* keywords) {
  PyObject* const body = function.in_graph && graph::building() ? function.in_graph : function.body;
  if (function.composed_op) {
    return call_composed(function.composed_op, body, args, nargsf, keywords);
  }
  if (body) return PyObject_Vectorcall(body, args, nargsf, keywords);
  return call_op(*function.signature, args, static_cast<size_t>(PyVectorcall_NARGS(nargsf)),
                 keywords);
}

// Runs the function without overrides, and without names for its nodes.
PyObject* run_unnamed(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
  return run(self_of(self), args, static_cast<size_t>(count), keywords);
}

[[gnu::hot]] PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf,
                            PyObject* keywords) {
  const OpFunction& function = self_of(self);
  const auto positional = static_cast<size_t>(PyVectorcall_NARGS(nargsf));
  const size_t count = positional + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
  if (!are_plain(args, count) && function.overridable) {
    PyObject* result = call_override(self, function.dispatcher, args, positional, keywords);
    if (!result) explain_exhaustion(self, args, count);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  PyObject* const result = is_named(function)
                               ? call_dispatcher(self, namer, args, positional, keywords)
                               : run(function, args, nargsf, keywords);
  return result ? result : after_failure(self, args, positional, keywords);
}

bool has_one_dtype(PyObject* const* args, Py_ssize_t count) {
  return std::all_of(args, args + count, [=](PyObject* argument) {
    return is_tensor_type(Py_TYPE(argument)) &&
           tensor_of(argument).dtype() == tensor_of(args[0]).dtype();
  });
}

// Runs the function on operands that have been promoted.
PyObject* call_promoted(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  const NoPromotion promoted;
  return call(self, args, nargsf, keywords);
}

PyObject* run_promoted(PyObject* self, PyObject* const* args, Py_ssize_t count,
                       PyObject* keywords) {
  return call_promoted(self, args, static_cast<size_t>(count), keywords);
}

// The vectorcall of functions with a promoter.
PyObject* promote_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  const OpFunction& function = self_of(self);
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  const auto overriding = [](PyObject* argument) {
    return overrides(argument) && !is_weak(argument);
  };
  if (NoPromotion::active() || std::any_of(args, args + count, overriding)) {
    return call(self, args, nargsf, keywords);
  }
  if (count >= function.operands && has_one_dtype(args, function.operands)) {
    return call_promoted(self, args, nargsf, keywords);
  }
  const PyRef promoter = PyRef::share(function.promoter);
  return call_dispatcher(self, promoter, args, static_cast<size_t>(count), keywords);
}

PyObject* set_promoter(PyObject* self, PyObject* args) {
  PyObject* promoter;
  Py_ssize_t operands;
  if (!PyArg_ParseTuple(args, "On:_set_promoter", &promoter, &operands)) return nullptr;
  OpFunction& function = self_of(self);
  Py_XSETREF(function.promoter, Py_NewRef(promoter));
  function.operands = operands;
  function.vectorcall = promote_call;
  Py_RETURN_NONE;
}

OpFunction* create(PyTypeObject* type) {
  auto* function = reinterpret_cast<OpFunction*>(type->tp_alloc(type, 0));
  if (!function) return nullptr;
  function->vectorcall = call;
  function->overridable = true;
  return function;
}

PyObject* construct(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"body",     "elementwise", "overridable", "composed_op",
                                "in_graph", "promotion",   nullptr};
  PyObject* body;
  PyObject* composed_op = Py_None;
  PyObject* in_graph = Py_None;
  PyObject* promotion = Py_None;
  int elementwise = 0;
  int overridable = 1;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$ipOOO", const_cast<char**>(names), &body,
                                   &elementwise, &overridable, &composed_op, &in_graph,
                                   &promotion)) {
    return nullptr;
  }
  OpFunction* function = create(type);
  if (!function) return nullptr;
  function->body = Py_NewRef(body);
  if (composed_op != Py_None) function->composed_op = Py_NewRef(composed_op);
  if (in_graph != Py_None) function->in_graph = Py_NewRef(in_graph);
  if (promotion != Py_None) function->promotion = Py_NewRef(promotion);
  function->elementwise = elementwise;
  function->overridable = overridable != 0;
  return reinterpret_cast<PyObject*>(function);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(self_of(self).body);
  Py_VISIT(self_of(self).in_graph);
  Py_VISIT(self_of(self).composed_op);
  Py_VISIT(self_of(self).dispatcher);
  Py_VISIT(self_of(self).promoter);
  Py_VISIT(self_of(self).promotion);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(self_of(self).body);
  Py_CLEAR(self_of(self).in_graph);
  Py_CLEAR(self_of(self).composed_op);
  Py_CLEAR(self_of(self).dispatcher);
  Py_CLEAR(self_of(self).promoter);
  Py_CLEAR(self_of(self).promotion);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (self_of(self).weakrefs) PyObject_ClearWeakRefs(self);
  clear(self);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* value = PyObject_GenericGetAttr(self, name);
  PyObject* body = self_of(self).body;
  if (value || !body || !PyErr_ExceptionMatches(PyExc_AttributeError)) return value;
  PyErr_Clear();
  return PyObject_GetAttr(body, name);
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  PyObject* body = self_of(self).body;
  if (!body || PyUnicode_CompareWithASCIIString(name, "dispatcher") == 0) {
    return PyObject_GenericSetAttr(self, name, value);
  }
  return value ? PyObject_SetAttr(body, name, value) : PyObject_DelAttr(body, name);
}

PyObject* no_attribute(const char* name) {
  return PyErr_Format(PyExc_AttributeError, "'OpFunction' object has no attribute '%s'", name);
}

PyObject* get_name(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  if (function.body) return PyObject_GetAttrString(function.body, "__name__");
  return PyUnicode_FromString(op_of(*function.signature).name);
}

PyObject* get_qualified_name(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  return function.body ? PyObject_GetAttrString(function.body, "__qualname__")
                       : get_name(self, nullptr);
}

PyObject* get_doc(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  if (function.body) return PyObject_GetAttrString(function.body, "__doc__");
  return PyUnicode_FromString(op_of(*function.signature).doc);
}

PyObject* get_module(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  if (function.body) return PyObject_GetAttrString(function.body, "__module__");
  return PyUnicode_FromString("eagerflow");
}

PyObject* get_signature(PyObject* self, void*) {
  if (!self_of(self).signature) return no_attribute("__signature__");
  const PyRef module = PyRef::steal(PyImport_ImportModule("eagerflow.ops.signature"));
  return module ? PyObject_CallMethod(module, "signature_of", "O", self) : nullptr;
}

PyObject* get_wrapped(PyObject* self, void*) {
  PyObject* body = self_of(self).body;
  return body ? Py_NewRef(body) : no_attribute("__wrapped__");
}

PyObject* get_parameters(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  return function.signature ? parameters(*function.signature) : no_attribute("parameters");
}

PyObject* get_kinds(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  return function.signature ? kinds(*function.signature) : no_attribute("kinds");
}

// The number of results; None if it depends on the call.
PyObject* get_outputs(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  if (!function.signature) return no_attribute("outputs");
  const Op& op = op_of(*function.signature);
  return op.returns_list ? Py_NewRef(Py_None) : PyLong_FromLong(op.outputs);
}

PyObject* get_op_name(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  if (!function.signature) return no_attribute("op_name");
  return PyUnicode_FromString(op_of(*function.signature).tf_name);
}

PyObject* get_differentiable(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  if (!function.signature) return no_attribute("differentiable");
  return PyBool_FromLong(op_of(*function.signature).gradient != nullptr);
}

PyObject* get_of_sparse_values(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  return PyBool_FromLong(function.signature && op_of(*function.signature).of_sparse_values);
}

constexpr const char* kPromotions[] = {nullptr, "none", "weak", "operands", "strong"};

PyObject* get_promotion(PyObject* self, void*) {
  const OpFunction& function = self_of(self);
  if (function.promotion) return Py_NewRef(function.promotion);
  return PyUnicode_FromString(function.elementwise == 1 ? "weak" : "none");
}

PyObject* representation(PyObject* self) {
  const PyRef name = PyRef::steal(get_name(self, nullptr));
  return name ? PyUnicode_FromFormat("<function %U>", name.get()) : nullptr;
}

PyGetSetDef getset[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_qualified_name, nullptr, nullptr, nullptr},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {"__signature__", get_signature, nullptr, nullptr, nullptr},
    {"__wrapped__", get_wrapped, nullptr, nullptr, nullptr},
    {"parameters", get_parameters, nullptr, "(name, default as source) pairs.", nullptr},
    {"kinds", get_kinds, nullptr, "The kind of each parameter but `name`.", nullptr},
    {"outputs", get_outputs, nullptr, "The number of results; None if it varies.", nullptr},
    {"op_name", get_op_name, nullptr, "TensorFlow's name of the operation.", nullptr},
    {"differentiable", get_differentiable, nullptr, "Whether it has a gradient.", nullptr},
    {"of_sparse_values", get_of_sparse_values, nullptr,
     "Whether a sparse tensor's result is the result of its values.", nullptr},
    {"promotion", get_promotion, nullptr,
     "How calls with weak tensors are promoted: none, weak, operands or strong.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyObject* from_config(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyMethodDef methods[] = {
    // Keras takes callables that are no functions of Python for classes when it finds them by name.
    {"from_config", from_config, METH_O, "The function itself, whatever the configuration is."},
    {"_run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run_unnamed)),
     METH_FASTCALL | METH_KEYWORDS,
     "Runs the function without overrides, and without names for its nodes."},
    {"_set_promoter", set_promoter, METH_VARARGS,
     "Sets promoter(function, args, kwargs), which runs calls whose first `operands` arguments are "
     "not ordinary tensors of one dtype. It runs the function by `_run_promoted`."},
    {"_run_promoted", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(run_promoted)),
     METH_FASTCALL | METH_KEYWORDS,
     "Calls the function, without promotion in the functions that it calls."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpFunction, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(OpFunction, weakrefs), READONLY, nullptr},
    {"dispatcher", T_OBJECT, offsetof(OpFunction, dispatcher), 0, nullptr},
    {"elementwise", T_INT, offsetof(OpFunction, elementwise), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <class Function>
void* slot(Function function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

const Signature* signature_of(PyObject* function) {
  return Py_IS_TYPE(function, function_type) ? self_of(function).signature : nullptr;
}

void set_fallback(PyObject* callable) {
  Py_XSETREF(fallback, callable == Py_None ? nullptr : Py_NewRef(callable));
}

void set_namer(PyObject* callable) { Py_XSETREF(namer, Py_NewRef(callable)); }

bool init_op_functions(PyObject* module) {
  PyType_Slot slots[] = {
      {Py_tp_new, slot(construct)},
      {Py_tp_dealloc, slot(dealloc)},
      {Py_tp_traverse, slot(traverse)},
      {Py_tp_clear, slot(clear)},
      {Py_tp_call, slot(PyVectorcall_Call)},
      {Py_tp_descr_get, slot(bind)},
      {Py_tp_getattro, slot(get_attribute)},
      {Py_tp_setattro, slot(set_attribute)},
      {Py_tp_repr, slot(representation)},
      {Py_tp_getset, getset},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {0, nullptr},
  };
  PyType_Spec spec = {"eagerflow._core.OpFunction", sizeof(OpFunction), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                          Py_TPFLAGS_METHOD_DESCRIPTOR,
                      slots};
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!type) return false;
  function_type = type;
  if (PyModule_AddObjectRef(module, "OpFunction", reinterpret_cast<PyObject*>(type)) < 0) {
    return false;
  }
  PyObject* ops = PyModule_New("eagerflow._core.ops");
  if (!ops) return false;
  for (const Op* op : op_table()) {
    OpFunction* function = create(type);
    if (!function) return false;
    function->signature = make_signature(*op);
    function->elementwise = op->elementwise ? static_cast<int>(op->inputs.size()) : 0;
    if (const char* promotion = kPromotions[static_cast<int>(op->promotion)]) {
      function->promotion = PyUnicode_InternFromString(promotion);
    }
    const int failed = PyModule_AddObjectRef(ops, op->name, reinterpret_cast<PyObject*>(function));
    Py_DECREF(function);
    if (failed) return false;
  }
  PyObject* modules = PyImport_GetModuleDict();
  if (PyDict_SetItemString(modules, "eagerflow._core.ops", ops) < 0) return false;
  const bool added = PyModule_AddObjectRef(module, "ops", ops) == 0;
  Py_DECREF(ops);
  return added;
}

}  // namespace ef::py
