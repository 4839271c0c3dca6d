// The Variable base type: reading and assigning values, and the operators of the values.
#include "bindings/py_variable.h"

#include <structmember.h>

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "bindings/arguments.h"
#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/function_object.h"
#include "bindings/indexing.h"
#include "bindings/items.h"
#include "bindings/numpy_interop.h"
#include "bindings/promotion.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "eager/device_backend.h"
#include "eager/substitution.h"
#include "eager/variable.h"
#include "graph/graph.h"
#include "ops/op.h"

namespace ef::py {

PyTypeObject* variable_type = nullptr;

namespace {

PyObject* slice_assignment = nullptr;
PyObject* last_operation = nullptr;

PyVariable* self_of(PyObject* object) { return reinterpret_cast<PyVariable*>(object); }

PyObject* variable_new(PyTypeObject* type, PyObject*, PyObject*) { return type->tp_alloc(type, 0); }

// Steals the reference to the variable.
void hold(PyObject* object, Variable* variable, PyObject* name) {
  PyVariable* const self = self_of(object);
  variable->owner = object;
  if (Variable* old = std::exchange(self->variable, variable)) {
    old->owner = nullptr;  // a tape may keep the variable
    old->release();
  }
  Py_INCREF(name);
  Py_XSETREF(self->name, name);
}

// __init__(value, trainable, name, shape): shape is None for the value's shape, a tuple with None
// for unknown dimensions, or False if even the rank may change.
int variable_init(PyObject* object, PyObject* args, PyObject*) {
  PyObject* value = nullptr;
  int trainable = 1;
  PyObject* name = nullptr;
  PyObject* shape = Py_None;
  if (!PyArg_ParseTuple(args, "OpU|O:Variable", &value, &trainable, &name, &shape)) return -1;
  return guarded(-1, [&] {
    const Tensor tensor = to_tensor(value);
    constexpr DTypeSet kRefused{DType::kQint16, DType::kQuint16, DType::kFloat8E4m3fnuz,
                                DType::kFloat8E4m3b11fnuz, DType::kFloat8E5m2fnuz};
    if (kRefused.contains(tensor.dtype())) {
      invalid_argument(
          "No OpKernel was registered to support Op 'AssignVariableOp' on variables of "
          "dtype ",
          tensor.dtype(), " [Op:AssignVariableOp]");
    }
    Shape declared = tensor.shape();
    if (shape == Py_False) {
      declared = Shape::unranked();
    } else if (shape != Py_None) {
      if (!PyTuple_Check(shape)) fail(Code::kTypeError, "A variable's shape must be a tuple.");
      declared = to_partial_shape(shape);
    }
    hold(object, new Variable(tensor, trainable != 0, declared), name);
    return 0;
  });
}

// _declare(dtype, shape, trainable, name): instead of __init__, creates a variable that represents
// those of sessions.
PyObject* declare(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  return guarded([&]() -> PyObject* {
    const char* const name = count == 4 ? PyUnicode_AsUTF8(args[3]) : nullptr;
    if (!name) fail(Code::kTypeError, "_declare() takes a dtype, a shape, a boolean and a name.");
    const TensorSpec spec{to_dtype(args[0]), to_partial_shape(args[1])};
    hold(object, new Variable(spec, args[2] == Py_True, name, true), args[3]);
    Py_RETURN_NONE;
  });
}

void variable_dealloc(PyObject* object) {
  PyVariable* self = self_of(object);
  if (self->variable) {
    self->variable->owner = nullptr;
    self->variable->release();
  }
  Py_XDECREF(self->name);
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

std::string name_of(const PyVariable* self) {
  const char* text = self->name ? PyUnicode_AsUTF8(self->name) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "";
}

std::string tuple_text(const Shape& shape) {
  if (!shape.ranked()) return "<unknown>";
  std::string text = "(";
  for (int i = 0; i < shape.rank(); ++i) {
    text += (i ? ", " : "") + (shape[i] < 0 ? "None" : std::to_string(shape[i]));
  }
  return text + (shape.rank() == 1 ? ",)" : ")");
}

std::string shape_text(const PyVariable* self) { return tuple_text(self->variable->shape()); }

// The arguments of assign, assign_add and assign_sub: (value, use_locking, name, read_value).
struct AssignArgs {
  PyObject* value = nullptr;
  bool read_value = true;
};

AssignArgs parse_assign(PyObject* const* args, Py_ssize_t count, PyObject* names,
                        const char* value_name, const char* method) {
  const char* const parameters[] = {value_name, "use_locking", "name", "read_value"};
  PyObject* values[4] = {};
  const Py_ssize_t positional = PyVectorcall_NARGS(static_cast<size_t>(count));
  if (positional > 4) fail(Code::kTypeError, method, "() takes at most 4 arguments.");
  for (Py_ssize_t i = 0; i < positional; ++i) values[i] = args[i];
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* key = PyTuple_GET_ITEM(names, k);
    int index = -1;
    for (int i = 0; i < 4; ++i) {
      if (PyUnicode_CompareWithASCIIString(key, parameters[i]) == 0) index = i;
    }
    if (index < 0 || values[index]) {
      const char* text = PyUnicode_AsUTF8(key);
      fail(Code::kTypeError, method, "() got an unexpected or repeated argument '",
           text ? text : "?", "'");
    }
    values[index] = args[positional + k];
  }
  if (!values[0]) fail(Code::kTypeError, method, "() misses the argument '", value_name, "'");
  AssignArgs parsed;
  parsed.value = values[0];
  if (values[3]) {
    const int truth = PyObject_IsTrue(values[3]);
    if (truth < 0) throw PythonError();
    parsed.read_value = truth != 0;
  }
  return parsed;
}

// The result of a change: the variable, or an operation of a graph, or None.
PyObject* assigned(PyObject* object, bool read_value) {
  if (!read_value && last_operation && graph::building()) {
    return PyObject_CallNoArgs(last_operation);
  }
  PyObject* result = read_value ? object : Py_None;
  Py_INCREF(result);
  return result;
}

// The value, which tapes do not record unless the object wraps other variables.
Tensor peek_variable(PyObject* object) {
  if (Variable* const variable = self_of(object)->variable) return variable->peek();
  return read_variable(object);
}

// The value for NumPy. Variables have values outside of traced functions; variables of programs'
// graphs only in sessions.
Tensor value_for_numpy(PyObject* object) {
  const graph::Graph* const graph = graph::building();
  if (graph && (!graph->in_program() || variable_of(object).is_declaration())) {
    fail(
        Code::kNotImplemented,
        "numpy() is only available when eager execution is enabled: the variable '",
        name_of(self_of(object)),
        ":0' has a value only when the function runs. Use the variable itself, or tf.py_function.");
  }
  return peek_variable(object);
}

// The value for a method, converted to the variable's dtype.
Tensor converted(const Variable& variable, PyObject* given, const char* method) {
  if (promotes_now()) [[unlikely]] {
    if (Tensor value = assigned_value(variable.dtype(), given, method)) return value;
  }
  return to_tensor(given, variable.dtype());
}

Tensor assignable(PyObject* object, const Variable& variable, PyObject* given) {
  Tensor value = converted(variable, given, "assign");
  if (!compatible(variable.shape(), value.shape())) {
    fail(Code::kValueError, "Cannot assign value to variable '", name_of(self_of(object)),
         ":0': Shape mismatch. The variable shape ", shape_text(self_of(object)),
         ", and the assigned value shape ", tuple_text(value.shape()), " are incompatible.");
  }
  return value;
}

PyObject* assign(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return guarded([&] {
    const AssignArgs parsed = parse_assign(args, count, names, "value", "assign");
    const VariableRef variable(variable_of(object));
    variable->assign(assignable(object, *variable, parsed.value));
    return assigned(object, parsed.read_value);
  });
}

// _assign_if(expected, value): see Variable::assign_if.
PyObject* assign_if(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    if (count != 2 || !is_tensor(args[0])) {
      fail(Code::kTypeError, "_assign_if() takes a tensor that was read and a value.");
    }
    const VariableRef variable(variable_of(object));
    const Tensor value = assignable(object, *variable, args[1]);
    return PyBool_FromLong(variable->assign_if(tensor_of(args[0]), value));
  });
}

// _replace_part(key, value): value[key] = value, with a value that is a tensor of the same dtype.
PyObject* replace_part_method(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    if (count != 2 || !is_tensor(args[1])) {
      fail(Code::kTypeError, "_replace_part() takes a key and a tensor.");
    }
    const VariableRef variable(variable_of(object));
    replace_part(*variable, args[0], tensor_of(args[1]));
    return Py_NewRef(object);
  });
}

// _change_by(operation, *operands): value = operation(value, *operands), in place where possible.
PyObject* change_by(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    const Signature* const signature = count > 0 ? signature_of(args[0]) : nullptr;
    if (!signature || !signature->op.changes_first || count != 3) {
      fail(Code::kTypeError,
           "_change_by() takes an operation that changes its first input, and its operands.");
    }
    const VariableRef variable(variable_of(object));
    TensorList inputs;
    {
      const PyRef value = checked(wrap(variable->peek()));
      PyObject* const values[] = {value.get(), args[1], args[2]};
      convert_inputs(*signature, values, inputs);
    }
    inputs[0] = {};
    variable->change(signature->op, std::span<const Tensor>(inputs).subspan(1), {});
    return Py_NewRef(object);
  });
}

template <void (Variable::*update)(const Tensor&)>
PyObject* assign_delta(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names,
                       const char* method, const char* op) {
  return guarded([&] {
    const AssignArgs parsed = parse_assign(args, count, names, "delta", method);
    const VariableRef variable(variable_of(object));
    const Tensor delta = converted(*variable, parsed.value, method);
    if (!kNumericTypes.contains(variable->dtype())) {
      invalid_argument("No OpKernel was registered to support Op '", op, "' on variables of dtype ",
                       variable->dtype(), " [Op:", op, "]");
    }
    if (graph::building() && !compatible(variable->shape(), delta.shape())) {
      fail(Code::kValueError, "Cannot update variable '", name_of(self_of(object)), ":0' of shape ",
           tuple_text(variable->shape()), " with a value of shape ", tuple_text(delta.shape()),
           ": both shapes must be equal. [Op:", op, "]");
    }
    ((*variable).*update)(delta);
    return assigned(object, parsed.read_value);
  });
}

PyObject* assign_add(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return assign_delta<&Variable::assign_add>(object, args, count, names, "assign_add",
                                             "AssignAddVariableOp");
}

PyObject* assign_sub(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return assign_delta<&Variable::assign_sub>(object, args, count, names, "assign_sub",
                                             "AssignSubVariableOp");
}

PyObject* value_method(PyObject* object, PyObject*) {
  return guarded([&] { return wrap(variable_of(object).read()); });
}

// The value on the device of operations; `value` returns it on the variable's device.
PyObject* read_value(PyObject* object, PyObject*) {
  if (!several_devices) return value_method(object, nullptr);
  return guarded([&] {
    Tensor value = variable_of(object).read();
    const DeviceId device = current_device();
    if (graph::building() || value.impl()->device() == device) return wrap(std::move(value));
    Tensor copy = on_device(value, device);
    copy.impl()->share_id(*value.impl());
    return wrap(std::move(copy));
  });
}

PyObject* numpy_method(PyObject* object, PyObject*) {
  return guarded([&] { return to_numpy(value_for_numpy(object), true); });
}

PyObject* array_method(PyObject* object, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject* dtype = Py_None;
  PyObject* copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", const_cast<char**>(names), &dtype,
                                   &copy)) {
    return nullptr;
  }
  return guarded([&] { return to_array(value_for_numpy(object), dtype, copy); });
}

PyObject* get_shape(PyObject* object, void*) {
  return guarded([&]() -> PyObject* {
    const Shape declared = variable_of(object).shape();  // __init__ may be called again meanwhile
    return shape_object(declared);
  });
}

PyObject* get_dtype(PyObject* object, void*) {
  return guarded([&] { return dtype_object(variable_of(object).dtype()); });
}

PyObject* get_trainable(PyObject* object, void*) {
  return guarded([&] { return PyBool_FromLong(variable_of(object).trainable()); });
}

// Returns whether the object has a variable of its own, whose trainability this sets.
PyObject* set_trainable(PyObject* object, PyObject* value) {
  const int trainable = PyObject_IsTrue(value);
  if (trainable < 0) return nullptr;
  Variable* variable = self_of(object)->variable;
  if (variable) variable->set_trainable(trainable);
  return PyBool_FromLong(variable != nullptr);
}

PyObject* keep_remainder(PyObject* object, PyObject*) {
  return guarded([&]() -> PyObject* {
    variable_of(object).keep_remainder();
    Py_RETURN_NONE;
  });
}

PyObject* get_remainder(PyObject* object, void*) {
  return guarded([&]() -> PyObject* {
    Variable* const remainder = variable_of(object).remainder();
    if (!remainder) Py_RETURN_NONE;
    return wrap(remainder->peek());
  });
}

PyObject* set_remainder(PyObject* object, PyObject* value) {
  return guarded([&]() -> PyObject* {
    Variable* const remainder = variable_of(object).remainder();
    if (!remainder || !is_tensor(value)) invalid_argument("No remainder is kept, or this is none.");
    remainder->assign(tensor_of(value));
    Py_RETURN_NONE;
  });
}

PyObject* get_device_id(PyObject* object, void*) {
  return guarded([&] { return PyLong_FromLong(variable_of(object).device()); });
}

PyObject* get_has_value(PyObject* object, void*) {
  return PyBool_FromLong(self_of(object)->variable != nullptr);
}

PyObject* get_id(PyObject* object, void*) {
  return guarded([&] { return PyLong_FromUnsignedLongLong(variable_of(object).id()); });
}

// variable[key]: a tensor whose method `assign` replaces that part of the variable.
PyObject* variable_subscript(PyObject* object, PyObject* key) {
  PyObject* slice = subscript(object, key);
  if (!slice || !slice_assignment) return slice;
  static PyObject* const name = PyUnicode_InternFromString("assign");
  PyObject* const args[] = {object, key};
  PyObject* method = PyObject_Vectorcall(slice_assignment, args, 2, nullptr);
  if (!method || PyObject_SetAttr(slice, name, method) < 0) Py_CLEAR(slice);
  Py_XDECREF(method);
  return slice;
}

// The value for Python's conversions; while a graph is built, a symbolic tensor, which refuses
// them.
Tensor value_for_python(PyObject* object) {
  return graph::building() ? read_variable(object) : peek_variable(object);
}

// Conversions to Python's numbers, which only the Tensor type defines.
template <PyObject* (*Convert)(PyObject*)>
PyObject* through_tensor(PyObject* object) {
  return guarded([&]() -> PyObject* {
    PyObject* tensor = wrap(value_for_python(object));
    if (!tensor) return nullptr;
    PyObject* result = Convert(tensor);
    Py_DECREF(tensor);
    return result;
  });
}

PyObject* to_complex(PyObject* tensor) {
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), tensor);
}

PyObject* complex_method(PyObject* object, PyObject*) { return through_tensor<to_complex>(object); }

PyObject* variable_index(PyObject* object) {
  return guarded([&] {
    const Tensor value = value_for_numpy(object);
    if (!is_integer(value.dtype()) || value.rank() != 0) {
      fail(Code::kTypeError, "only integer scalar tensors can be converted to a scalar index");
    }
    return to_python_scalar(value);
  });
}

int variable_bool(PyObject* object) {
  return guarded(-1, [&] {
    PyObject* tensor = wrap(value_for_python(object));
    if (!tensor) return -1;
    const int truth = PyObject_IsTrue(tensor);
    Py_DECREF(tensor);
    return truth;
  });
}

template <class Function>
PyCFunction method(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

PyMethodDef methods[] = {
    {"_declare", method(declare), METH_FASTCALL,
     "_declare(dtype, shape, trainable, name)\n\nStands for a variable of each session."},
    {"assign", method(assign), METH_FASTCALL | METH_KEYWORDS,
     "assign($self, value, use_locking=False, name=None, read_value=True)\n--\n\nReplaces the "
     "value."},
    {"_assign_if", method(assign_if), METH_FASTCALL,
     "_assign_if(expected, value)\n\nReplaces the value if it is still the tensor that was read."},
    {"_replace_part", method(replace_part_method), METH_FASTCALL,
     "_replace_part(key, value)\n\nReplaces a part of the value, in place where possible."},
    {"_change_by", method(change_by), METH_FASTCALL,
     "_change_by(operation, *operands)\n\nReplaces the value by operation(value, *operands), in "
     "place "
     "where possible."},
    {"assign_add", method(assign_add), METH_FASTCALL | METH_KEYWORDS,
     "assign_add($self, delta, use_locking=False, name=None, read_value=True)\n--\n\nAdds to the "
     "value."},
    {"assign_sub", method(assign_sub), METH_FASTCALL | METH_KEYWORDS,
     "assign_sub($self, delta, use_locking=False, name=None, read_value=True)\n--\n\nSubtracts "
     "from it."},
    {"read_value", read_value, METH_NOARGS,
     "read_value($self)\n--\n\nThe current value, a tensor that never changes."},
    {"value", value_method, METH_NOARGS,
     "value($self)\n--\n\nThe current value, a tensor that never changes."},
    {"_set_trainable", set_trainable, METH_O, "Sets whether tapes watch the variable."},
    {"_keep_remainder", keep_remainder, METH_NOARGS,
     "_keep_remainder($self)\n--\n\nLets additions lose nothing to rounding from now on."},
    {"_set_remainder", set_remainder, METH_O, "Replaces `_remainder`."},
    {"numpy", numpy_method, METH_NOARGS,
     "numpy($self)\n--\n\nA copy of the current value for NumPy."},
    {"__array__", method(array_method), METH_VARARGS | METH_KEYWORDS,
     "The current value for NumPy."},
    {"__complex__", complex_method, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef getset[] = {
    {"shape", get_shape, nullptr, "The declared shape, a TensorShape.", nullptr},
    {"dtype", get_dtype, nullptr, "The element type, a DType.", nullptr},
    {"trainable", get_trainable, nullptr, "Whether tapes watch the variable automatically.",
     nullptr},
    {"_remainder", get_remainder, nullptr,
     "What additions have lost to rounding, a tensor; None where it is not kept.", nullptr},
    {"_has_value", get_has_value, nullptr,
     "Whether it has a value of its own; wrappers of other variables have none.", nullptr},
    {"_id", get_id, nullptr, "An id that no other tensor or variable has.", nullptr},
    {"_device_id", get_device_id, nullptr, "The device that holds the value.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"_name", T_OBJECT, offsetof(PyVariable, name), 0, "The name without ':0'."},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

Variable& variable_of(PyObject* object) {
  if (Variable* variable = self_of(object)->variable) return *variable;
  // A program's own class may wrap a variable and pass on its `handle`.
  const PyRef handle = attribute(object, "handle");
  const PyRef inner = handle ? attribute(handle.get(), "variable") : PyRef();
  if (!inner || inner.get() == object || !is_variable(inner.get())) {
    fail(Code::kValueError, "This Variable was never initialised.");
  }
  return variable_of(inner.get());
}

void register_slice_assignment(PyObject* function) {
  Py_INCREF(function);
  Py_XSETREF(slice_assignment, function);
}

void register_last_operation(PyObject* function) {
  Py_INCREF(function);
  Py_XSETREF(last_operation, function);
}

PyObject* call_with_values(PyObject* variables, PyObject* values, PyObject* function) {
  const Items represented(variables), representing(values);
  std::unordered_map<uint64_t, Tensor> substitutes;
  for (size_t i = 0; i < represented.size(); ++i) {
    substitutes[variable_of(represented[i]).id()] = checked_tensor(representing[i]);
  }
  const Substitution substitution(std::move(substitutes));
  return checked(PyObject_CallNoArgs(function)).release();
}

DType variable_dtype(PyObject* object) {
  if (const Variable* variable = self_of(object)->variable) return variable->dtype();
  return read_variable(object).dtype();
}

Tensor read_variable(PyObject* object) {
  if (Variable* variable = self_of(object)->variable) return variable->read();
  // An object without a variable of its own, such as a subclass that wraps a variable, is converted
  // by what the program has registered, or returns its value from read_value().
  if (Tensor tensor = from_registry(object, DType::kInvalid)) return tensor;
  const PyRef value = checked(PyObject_CallMethod(object, "read_value", nullptr));
  if (!is_tensor(value.get())) fail(Code::kTypeError, "read_value() of a variable gives a tensor.");
  return tensor_of(value.get());
}

bool init_variable_type(PyObject* module) {
  PyNumberMethods& n = operator_slots;
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("A mutable slot that holds a tensor.")},
      {Py_tp_new, slot(variable_new)},
      {Py_tp_init, slot(variable_init)},
      {Py_tp_dealloc, slot(variable_dealloc)},
      {Py_tp_methods, methods},
      {Py_tp_getset, getset},
      {Py_tp_members, members},
      {Py_tp_richcompare, slot(rich_compare)},
      {Py_tp_hash, slot(PyObject_HashNotImplemented)},
      {Py_mp_subscript, slot(variable_subscript)},
      {Py_sq_item, slot(item_at)},
      {Py_nb_add, slot(n.nb_add)},
      {Py_nb_subtract, slot(n.nb_subtract)},
      {Py_nb_multiply, slot(n.nb_multiply)},
      {Py_nb_true_divide, slot(n.nb_true_divide)},
      {Py_nb_floor_divide, slot(n.nb_floor_divide)},
      {Py_nb_remainder, slot(n.nb_remainder)},
      {Py_nb_power, slot(n.nb_power)},
      {Py_nb_matrix_multiply, slot(n.nb_matrix_multiply)},
      {Py_nb_and, slot(n.nb_and)},
      {Py_nb_or, slot(n.nb_or)},
      {Py_nb_xor, slot(n.nb_xor)},
      {Py_nb_negative, slot(n.nb_negative)},
      {Py_nb_positive, slot(n.nb_positive)},
      {Py_nb_absolute, slot(n.nb_absolute)},
      {Py_nb_invert, slot(n.nb_invert)},
      {Py_nb_bool, slot(variable_bool)},
      {Py_nb_int, slot(through_tensor<PyNumber_Long>)},
      {Py_nb_float, slot(through_tensor<PyNumber_Float>)},
      {Py_nb_index, slot(variable_index)},
      {0, nullptr},
  };
  PyType_Spec spec = {"eagerflow._core.Variable", sizeof(PyVariable), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  variable_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!variable_type) return false;
  return PyModule_AddObjectRef(module, "Variable", reinterpret_cast<PyObject*>(variable_type)) == 0;
}

}  // namespace ef::py
