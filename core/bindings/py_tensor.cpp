// The Tensor type: object life, attributes and conversions to Python's and NumPy's values.
#include "bindings/py_tensor.h"

#include <structmember.h>

#include <cstddef>
#include <new>
#include <utility>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/indexing.h"
#include "bindings/numpy_api.h"
#include "bindings/numpy_interop.h"
#include "bindings/promotion.h"
#include "bindings/py_graph.h"
#include "bindings/py_ref.h"
#include "eager/dispatch.h"
#include "graph/graph.h"
#include "ops/array.h"
#include "ops/shapes.h"

namespace ef::py {

PyTypeObject* eager_type = nullptr;
PyTypeObject* symbolic_type = nullptr;
PyTypeObject* weak_eager_type = nullptr;
PyTypeObject* weak_symbolic_type = nullptr;
bool promotes = false;

namespace {

PyObject* shape_class = nullptr;

// A tensor of a program's graph keeps the graph alive. The garbage collector tracks these objects,
// because the graph's attributes may refer back to them; tensors with values hold no Python
// objects.
struct PySymbolicTensor {
  PyTensor tensor;
  PyObject* graph;
};

// A free list of objects of tensors with values, guarded by the GIL.
constexpr int kMaxFree = 512;
PyTensor* free_objects[kMaxFree];
int free_count = 0;

PyTensor* self_of(PyObject* object) { return reinterpret_cast<PyTensor*>(object); }

[[gnu::hot]] void eager_dealloc(PyObject* object) {
  PyTensor* self = self_of(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->dict);
  self->tensor = Tensor();
  if (free_count < kMaxFree) {
    free_objects[free_count++] = self;
    return;
  }
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

void weak_dealloc(PyObject* object) {
  PyTensor* self = self_of(object);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->dict);
  self->tensor.~Tensor();
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PySymbolicTensor* symbolic_of(PyObject* object) {
  return reinterpret_cast<PySymbolicTensor*>(object);
}

int symbolic_traverse(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self_of(object)->dict);
  Py_VISIT(symbolic_of(object)->graph);
  return 0;
}

int symbolic_clear(PyObject* object) {
  Py_CLEAR(self_of(object)->dict);
  Py_CLEAR(symbolic_of(object)->graph);
  return 0;
}

void symbolic_dealloc(PyObject* object) {
  PyObject_GC_UnTrack(object);
  if (self_of(object)->weakrefs) PyObject_ClearWeakRefs(object);
  symbolic_clear(object);
  self_of(object)->tensor.~Tensor();
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* wrap_symbolic(PyTypeObject* type, Tensor&& tensor, const Symbol& symbol) {
  PyObject* const object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  const graph::GraphPtr graph = symbol.graph();
  const bool keeps = graph && graph->kind() == graph::Graph::Kind::kProgram;
  new (&self_of(object)->tensor) Tensor(std::move(tensor));
  symbolic_of(object)->graph = keeps ? graph_object(graph.get()).release().ptr() : nullptr;
  return object;
}

PyObject* tensor_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "Tensors are not made by calling Tensor(); use constant() or "
                  "convert_to_tensor().");
  return nullptr;
}

PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return shape_object(tensor_of(self).shape()); });
}

// A tuple of the sizes, with None for unknown ones; None if the rank is unknown.
PyObject* sizes_tuple(const Shape& shape) {
  if (!shape.ranked()) [[unlikely]]
    return Py_NewRef(Py_None);
  PyObject* tuple = PyTuple_New(shape.rank());
  if (!tuple) return nullptr;
  for (int i = 0; i < shape.rank(); ++i) {
    PyTuple_SET_ITEM(tuple, i, shape[i] < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(shape[i]));
  }
  return tuple;
}

PyObject* shape_tuple(PyObject* self, PyObject*) { return sizes_tuple(tensor_of(self).shape()); }

// A single size while a graph is built: an int32 scalar.
PyObject* symbolic_size(const Tensor& shape, int axis) {
  const Tensor size =
      call(ops::strided_slice, {shape},
           ops::StridedSliceAttrs{
               .begin = {axis}, .end = {axis + 1}, .strides = {1}, .shrink_axis_mask = 1});
  return wrap(Tensor(size));
}

// The sizes for computations. Sizes that are unknown until the graph runs are tensors of the graph.
PyObject* get_sizes(PyObject* self, PyObject*) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.shape().fully_known()) [[likely]]
    return sizes_tuple(tensor.shape());
  return guarded([&]() -> PyObject* {
    if (!tensor.shape().ranked()) {
      fail(Code::kValueError, "The rank must be known here, but the shape is <unknown>.");
    }
    const Tensor shape = call(ops::shape, {tensor}, ops::ShapeAttrs{});
    PyRef sizes = checked(PyTuple_New(tensor.rank()));
    for (int i = 0; i < tensor.rank(); ++i) {
      PyObject* const size =
          tensor.dim(i) < 0 ? symbolic_size(shape, i) : PyLong_FromLongLong(tensor.dim(i));
      if (!size) return nullptr;
      PyTuple_SET_ITEM(sizes.get(), i, size);
    }
    return sizes.release();
  });
}

PyObject* get_dtype(PyObject* self, void*) {
  return guarded([&] { return dtype_object(tensor_of(self).dtype()); });
}

PyObject* get_ndim(PyObject* self, void*) {
  const Shape& shape = tensor_of(self).shape();
  if (!shape.ranked()) [[unlikely]]
    return Py_NewRef(Py_None);
  return PyLong_FromLong(shape.rank());
}

PyObject* get_id(PyObject* self, void*) {
  return PyLong_FromUnsignedLongLong(tensor_of(self).impl()->id());
}

PyObject* get_size(PyObject* self, void*) {
  const int64_t size = tensor_of(self).size();
  return size < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(size);
}

// Throws if the tensor belongs to a graph: programs cannot read its value, even if it is known.
void require_value(PyObject* self, Code code, const char* what) {
  const Tensor& tensor = tensor_of(self);
  const Symbol* const symbol = symbol_of(tensor);
  if (symbol && symbol->in_graph()) [[unlikely]]
    graph::refuse_reading(tensor, code, what);
}

PyObject* numpy_method(PyObject* self, PyObject*) {
  return guarded([&] {
    require_value(self, Code::kAttributeError, "numpy()");
    return to_numpy(tensor_of(self), true);
  });
}

// The read-only NumPy view of the tensor's memory.
PyObject* numpy_view(PyObject* self, PyObject*) {
  return guarded([&] { return to_numpy(tensor_of(self), false); });
}

PyObject* array_method(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "copy", nullptr};
  PyObject* dtype = Py_None;
  PyObject* copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO:__array__", const_cast<char**>(names), &dtype,
                                   &copy)) {
    return nullptr;
  }
  return guarded([&] {
    require_value(self, Code::kNotImplemented, "conversion to a numpy array");
    return to_array(tensor_of(self), dtype, copy);
  });
}

PyObject* dlpack_method(PyObject* self, PyObject*, PyObject* kwargs) {
  return guarded([&] { return export_dlpack(tensor_of(self), kwargs); });
}

PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", 1, 0); }

PyObject* scalar_value(PyObject* self) {
  return guarded([&] {
    require_value(self, Code::kTypeError, "conversion to a Python number");
    return to_python_scalar(tensor_of(self));
  });
}

int tensor_bool(PyObject* self) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.impl()->lazy()) {
    const int checked = guarded(-1, [&] {
      require_value(self, Code::kNotAllowedInGraph, "its use as a Python `bool`");
      return 0;
    });
    if (checked < 0) return -1;
  }
  if (tensor.size() == 0) return 0;
  if (tensor.size() != 1) {
    PyErr_SetString(PyExc_ValueError,
                    "The truth value of an array with more than one element is ambiguous. Use "
                    "a.any() or a.all()");
    return -1;
  }
  if (tensor.dtype() == DType::kBool) {
    try {
      return *tensor.data<bool>();
    } catch (...) {  // the value may have to be computed first
      set_python_error();
      return -1;
    }
  }
  PyObject* value = scalar_value(self);
  if (!value) return -1;
  const int truth = PyObject_IsTrue(value);
  Py_DECREF(value);
  return truth;
}

// NumPy converts the element, and raises the errors of arrays and strings.
template <PyObject* (*Convert)(PyObject*)>
PyObject* number_of(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = tensor_of(self);
    require_value(self, Code::kTypeError, "conversion to a Python number");
    const bool plain = tensor.rank() == 0 && !is_complex(tensor.dtype());
    const PyRef value =
        checked(plain ? to_python_scalar(tensor) : to_numpy(tensor, tensor.rank() == 0));
    return Convert(value);
  });
}

PyObject* call_index(PyObject* value) { return PyObject_CallMethod(value, "__index__", nullptr); }
PyObject* call_complex(PyObject* value) {
  return PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), value);
}

PyObject* tensor_index(PyObject* self) {
  const Tensor& tensor = tensor_of(self);
  if (is_integer(tensor.dtype()) && tensor.rank() == 0) return scalar_value(self);
  return guarded([&] {
    require_value(self, Code::kTypeError, "conversion to a Python number");
    const PyRef value = checked(to_numpy(tensor, tensor.rank() == 0));
    return call_index(value);
  });
}

PyObject* tensor_complex(PyObject* self, PyObject*) { return number_of<call_complex>(self); }

// A read-only NumPy buffer; an error for dtypes without a buffer format.
int tensor_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded(-1, [&] {
    if (tensor_of(self).rank() > PyBUF_MAX_NDIM) {
      PyErr_Format(PyExc_BufferError,
                   "A tensor of %d dimensions has no buffer: at most %d have one.",
                   tensor_of(self).rank(), PyBUF_MAX_NDIM);
      return -1;
    }
    const PyRef array = checked(to_numpy(tensor_of(self), false));
    PyArray_CLEARFLAGS(as_array(array),
                       NPY_ARRAY_WRITEABLE);  // strings are copied, and would be writable
    return PyObject_GetBuffer(array, view, flags);
  });
}

Py_ssize_t tensor_length(PyObject* self) {
  const Tensor& tensor = tensor_of(self);
  if (tensor.impl()->lazy()) {
    const int checked = guarded(-1, [&] {
      require_value(self, Code::kTypeError, "len(), which the sizes of `x.shape` replace,");
      return 0;
    });
    if (checked < 0) return -1;
  }
  if (tensor.rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "Scalar tensor has no `len()`");
    return -1;
  }
  return static_cast<Py_ssize_t>(tensor.dim(0));
}

// Iteration over the first axis: each element is a view, dispatched so that tapes record it.
struct TensorIterator {
  PyObject_HEAD PyObject* tensor;
  int64_t next;
};

PyTypeObject* iterator_type = nullptr;

PyObject* tensor_iter(PyObject* self) {
  if (tensor_of(self).impl()->lazy()) {
    const int checked = guarded(-1, [&] {
      require_value(self, Code::kNotAllowedInGraph, "Iterating over a symbolic `tf.Tensor`");
      return 0;
    });
    if (checked < 0) return nullptr;
  }
  if (tensor_of(self).rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "Cannot iterate over a scalar tensor.");
    return nullptr;
  }
  auto* iterator = PyObject_New(TensorIterator, iterator_type);
  if (!iterator) return nullptr;
  Py_INCREF(self);
  iterator->tensor = self;
  iterator->next = 0;
  return reinterpret_cast<PyObject*>(iterator);
}

void iterator_dealloc(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  Py_XDECREF(reinterpret_cast<TensorIterator*>(object)->tensor);
  PyObject_Free(object);
  Py_DECREF(type);
}

PyObject* iterator_next(PyObject* object) {
  auto* iterator = reinterpret_cast<TensorIterator*>(object);
  const Tensor& tensor = tensor_of(iterator->tensor);
  if (iterator->next >= tensor.dim(0)) return nullptr;
  PyObject* index = PyLong_FromLongLong(iterator->next++);
  if (!index) return nullptr;
  PyObject* item = subscript(iterator->tensor, index);
  Py_DECREF(index);
  return like(iterator->tensor, item);
}

PyGetSetDef getset[] = {
    {"shape", get_shape, nullptr, "The shape, a TensorShape.", nullptr},
    {"dtype", get_dtype, nullptr, "The element type, a DType.", nullptr},
    {"ndim", get_ndim, nullptr, "The number of dimensions, or None if unknown.", nullptr},
    {"_id", get_id, nullptr, "An id that no other tensor has.", nullptr},
    {"_size", get_size, nullptr, "The number of elements, or None if unknown.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"_numpy_view", numpy_view, METH_NOARGS, "A read-only NumPy view of the tensor's memory."},
    {"_shape_tuple", shape_tuple, METH_NOARGS,
     "The shape as a tuple; None where a size, or the rank, is unknown."},
    {"_sizes", get_sizes, METH_NOARGS,
     "The sizes as a tuple of ints, or of int32 scalars of the graph that is being built."},
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(array_method)),
     METH_VARARGS | METH_KEYWORDS, "The value for NumPy: a read-only view where possible."},
    {"__complex__", tensor_complex, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// Methods that tensors of graphs lack: programs test for them with `hasattr`.
PyMethodDef eager_methods[] = {
    {"numpy", numpy_method, METH_NOARGS,
     "numpy($self)\n--\n\n"
     "A copy of the value: a NumPy array, a NumPy scalar for rank 0, bytes for a string."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(dlpack_method)),
     METH_VARARGS | METH_KEYWORDS, "A DLPack capsule that shares the memory."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "DLPack's device pair: the CPU."},
    {nullptr, nullptr, 0, nullptr},
};

// `hasattr` returns False, and an access to the method raises an error with the reason.
PyObject* refuse_numpy(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    require_value(self, Code::kAttributeError, "numpy()");
    fail(Code::kAttributeError, "The value of a symbolic tensor is not known: numpy() needs it.");
  });
}

PyGetSetDef symbolic_getset[] = {
    {"numpy", refuse_numpy, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(PyTensor, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PyTensor, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

[[gnu::hot]] PyObject* wrap(Tensor&& tensor) {
  if (tensor.impl()->lazy()) [[unlikely]] {
    if (const Symbol* const symbol = symbol_of(tensor))
      return wrap_symbolic(symbolic_type, std::move(tensor), *symbol);
  }
  if (!graph::building()) [[likely]]
    tensor.impl()->expose();
  PyTensor* self;
  if (free_count > 0) {
    self = free_objects[--free_count];
    _Py_NewReference(reinterpret_cast<PyObject*>(self));
  } else {
    self = reinterpret_cast<PyTensor*>(eager_type->tp_alloc(eager_type, 0));
    if (!self) return nullptr;
  }
  new (&self->tensor) Tensor(std::move(tensor));
  self->dict = nullptr;
  self->weakrefs = nullptr;
  return reinterpret_cast<PyObject*>(self);
}

PyObject* wrap_weak(Tensor&& tensor) {
  if (const Symbol* const symbol = symbol_of(tensor))
    return wrap_symbolic(weak_symbolic_type, std::move(tensor), *symbol);
  if (!graph::building()) tensor.impl()->expose();
  PyObject* const object = weak_eager_type->tp_alloc(weak_eager_type, 0);
  if (object) new (&self_of(object)->tensor) Tensor(std::move(tensor));
  return object;
}

const Tensor& checked_tensor(PyObject* object) {
  if (!is_tensor(object)) {
    fail(Code::kTypeError, "A tensor is needed, not a ", Py_TYPE(object)->tp_name, ".");
  }
  return tensor_of(object);
}

PyObject* run_op(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs) {
  TensorList outputs;
  run(op, inputs, attrs, outputs);
  return wrap(std::move(outputs[0]));
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&] { return get_item(to_tensor(self), self, key); });
}

// Types with this slot are sequences, as classes of Python with `__getitem__` are: pandas takes
// others with numeric slots for scalars.
PyObject* item_at(PyObject* self, Py_ssize_t index) {
  const PyRef key = PyRef::steal(PyLong_FromSsize_t(index));
  return key ? PyObject_GetItem(self, key.get()) : nullptr;
}

void register_shape_class(PyObject* cls) {
  Py_INCREF(cls);
  Py_XSETREF(shape_class, cls);
}

PyObject* shape_object(const Shape& shape) {
  PyObject* sizes = sizes_tuple(shape);
  if (!sizes || !shape_class) return sizes;
  // The sizes are known to be valid, so the constructor is not called.
  auto* const type = reinterpret_cast<PyTypeObject*>(shape_class);
  PyObject* object = type->tp_alloc(type, 0);
  static PyObject* const dims = PyUnicode_InternFromString("_dims");
  if (object && PyObject_SetAttr(object, dims, sizes) < 0) Py_CLEAR(object);
  Py_DECREF(sizes);
  return object;
}

bool init_tensor_type(PyObject* module) {
  PyType_Slot iterator_slots[] = {
      {Py_tp_dealloc, slot(iterator_dealloc)},
      {Py_tp_iter, slot(PyObject_SelfIter)},
      {Py_tp_iternext, slot(iterator_next)},
      {0, nullptr},
  };
  PyType_Spec iterator_spec = {"eagerflow._core.TensorIterator", sizeof(TensorIterator), 0,
                               Py_TPFLAGS_DEFAULT, iterator_slots};
  iterator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&iterator_spec));
  if (!iterator_type) return false;

  PyNumberMethods& n = operator_slots;
  PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("An immutable array of one element type.")},
      {Py_tp_new, slot(tensor_new)},
      {Py_tp_getset, getset},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_richcompare, slot(rich_compare)},
      {Py_tp_hash, slot(hash_of_identity)},
      {Py_tp_iter, slot(tensor_iter)},
      {Py_mp_subscript, slot(subscript)},
      {Py_mp_length, slot(tensor_length)},
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
      {Py_nb_bool, slot(tensor_bool)},
      {Py_nb_int, slot(number_of<PyNumber_Long>)},
      {Py_nb_float, slot(number_of<PyNumber_Float>)},
      {Py_nb_index, slot(tensor_index)},
      {0, nullptr},
  };
  PyType_Spec spec = {"eagerflow._core.Tensor", sizeof(PyTensor), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  PyType_Slot eager_slots[] = {
      {Py_tp_doc, const_cast<char*>("A tensor that has a value.")},
      {Py_tp_dealloc, slot(eager_dealloc)},
      {Py_tp_methods, eager_methods},
      {Py_bf_getbuffer, slot(tensor_buffer)},
      {0, nullptr},
  };
  PyType_Spec eager_spec = {"eagerflow._core.EagerTensor", sizeof(PyTensor), 0, Py_TPFLAGS_DEFAULT,
                            eager_slots};
  PyType_Slot symbolic_slots[] = {
      {Py_tp_doc, const_cast<char*>("A tensor of a graph, which has a value when that runs.")},
      {Py_tp_dealloc, slot(symbolic_dealloc)},
      {Py_tp_traverse, slot(symbolic_traverse)},
      {Py_tp_clear, slot(symbolic_clear)},
      {Py_tp_getset, symbolic_getset},
      {0, nullptr},
  };
  PyType_Spec symbolic_spec = {"eagerflow._core.SymbolicTensor", sizeof(PySymbolicTensor), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, symbolic_slots};
  PyType_Slot weak_slots[] = {
      {Py_tp_doc,
       const_cast<char*>("A tensor with a value, which takes the dtype of other operands.")},
      {Py_tp_dealloc, slot(weak_dealloc)},
      {Py_tp_methods, eager_methods},
      {Py_bf_getbuffer, slot(tensor_buffer)},
      {0, nullptr},
  };
  PyType_Spec weak_spec = {"eagerflow._core.EagerWeakTensor", sizeof(PyTensor), 0,
                           Py_TPFLAGS_DEFAULT, weak_slots};
  PyType_Spec weak_symbolic_spec = symbolic_spec;
  weak_symbolic_spec.name = "eagerflow._core.GraphWeakTensor";
  const auto add = [module](PyType_Spec& type_spec, const char* name, PyObject* base) {
    PyObject* const type = PyType_FromSpecWithBases(&type_spec, base);
    return type && PyModule_AddObjectRef(module, name, type) == 0 ? type : nullptr;
  };
  PyObject* const tensor_type = add(spec, "Tensor", nullptr);
  if (!tensor_type) return false;
  eager_type = reinterpret_cast<PyTypeObject*>(add(eager_spec, "EagerTensor", tensor_type));
  symbolic_type =
      reinterpret_cast<PyTypeObject*>(add(symbolic_spec, "SymbolicTensor", tensor_type));
  weak_eager_type = reinterpret_cast<PyTypeObject*>(add(weak_spec, "EagerWeakTensor", tensor_type));
  weak_symbolic_type =
      reinterpret_cast<PyTypeObject*>(add(weak_symbolic_spec, "GraphWeakTensor", tensor_type));
  return eager_type && symbolic_type && weak_eager_type && weak_symbolic_type;
}

}  // namespace ef::py
