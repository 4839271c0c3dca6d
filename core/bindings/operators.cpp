// Python's operators on tensors and variables.
#include <Python.h>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "eager/dispatch.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"

namespace ef::py {
namespace {

// Both operands as tensors of one dtype; a plain Python value takes the other's dtype.
struct Operands {
  Tensor a;
  Tensor b;
};

bool is_ours(PyObject* object) { return is_tensor(object) || is_variable(object); }

Tensor operand(PyObject* object) {
  return is_tensor(object) ? tensor_of(object) : read_variable(object);
}

// Tensors of different dtypes are left alone: the operation reports them.
Operands convert_operands(PyObject* a, PyObject* b) {
  if (is_ours(a)) {
    Operands both{operand(a), {}};
    both.b = is_ours(b) ? operand(b) : to_tensor(b, DType::kInvalid, both.a.dtype());
    return both;
  }
  Operands both{{}, operand(b)};
  both.a = to_tensor(a, DType::kInvalid, both.b.dtype());
  return both;
}

// Whether the failed conversion of a foreign operand should be left to that operand's own method.
bool defers(PyObject* a, PyObject* b) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError)) {
    return false;
  }
  PyObject* other = is_ours(a) ? b : a;
  return !is_ours(other) && other != Py_None && Py_TYPE(other)->tp_as_number != nullptr &&
         !PyLong_Check(other) && !PyFloat_Check(other) && !PyComplex_Check(other);
}

// Runs `body(a, b)` on converted operands.
template <class Body>
PyObject* with_operands(PyObject* a, PyObject* b, const Body& body) noexcept {
  Operands both;
  try {
    both = convert_operands(a, b);
  } catch (...) {
    set_python_error();
    if (!defers(a, b)) return nullptr;
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  return guarded([&] { return body(both); });
}

template <const Op& op>
PyObject* binary(PyObject* a, PyObject* b) {
  if (is_tensor(a) && is_tensor(b)) {
    Borrowed inputs;
    inputs.push(tensor_of(a).impl());
    inputs.push(tensor_of(b).impl());
    return guarded([&] { return run_op(op, inputs.tensors(), {}); });
  }
  return with_operands(a, b, [](const Operands& both) { return wrap(call(op, {both.a, both.b})); });
}

// Integers divide to float64, the short ones to float32, as in TensorFlow.
Tensor divisible(const Tensor& t) {
  switch (t.dtype()) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kUint8:
    case DType::kUint16: return cast_to(t, DType::kFloat32);
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint32:
    case DType::kUint64: return cast_to(t, DType::kFloat64);
    default: return t;
  }
}

PyObject* true_divide(PyObject* a, PyObject* b) {
  return with_operands(a, b, [](const Operands& both) {
    if (both.a.dtype() != both.b.dtype()) {
      fail(Code::kTypeError, "`x` and `y` must have the same dtype, got tf.",
           dtype_name(both.a.dtype()), " != tf.", dtype_name(both.b.dtype()), ".");
    }
    return wrap(call(ops::real_divide, {divisible(both.a), divisible(both.b)}));
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulo) {
  if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<ops::pow>(a, b);
}

template <const Op& on_bools, const Op& on_bits>
PyObject* logical(PyObject* a, PyObject* b) {
  return with_operands(a, b, [](const Operands& both) {
    const Op& op = both.a.dtype() == DType::kBool ? on_bools : on_bits;
    return wrap(call(op, {both.a, both.b}));
  });
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  return with_operands(a, b, [](const Operands& both) {
    return wrap(call(ops::matmul, {both.a, both.b},
                     Attrs().flag(false).flag(false).flag(false).flag(false)));
  });
}

template <const Op& op>
PyObject* unary(PyObject* self) {
  return guarded([&] { return wrap(call(op, {operand(self)})); });
}

PyObject* invert(PyObject* self) {
  return guarded([&] {
    const Tensor tensor = operand(self);
    return wrap(call(tensor.dtype() == DType::kBool ? ops::logical_not : ops::invert, {tensor}));
  });
}

// == and != never fail: what cannot be compared is unequal.
PyObject* equality(PyObject* a, PyObject* b, bool equal) {
  if (b == Py_None) return PyBool_FromLong(!equal);
  Operands both;
  try {
    both = convert_operands(a, b);
  } catch (...) {
    set_python_error();
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError)) {
      return nullptr;
    }
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  Shape shape;
  return guarded([&] {
    if (!broadcast_shapes(both.a.shape(), both.b.shape(), &shape)) {
      return wrap(Tensor::scalar(DType::kBool, !equal));
    }
    return wrap(call(equal ? ops::equal : ops::not_equal, {both.a, both.b}));
  });
}

}  // namespace

PyObject* rich_compare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_LT: return binary<ops::less>(a, b);
    case Py_LE: return binary<ops::less_equal>(a, b);
    case Py_GT: return binary<ops::greater>(a, b);
    case Py_GE: return binary<ops::greater_equal>(a, b);
    case Py_EQ: return equality(a, b, true);
    default: return equality(a, b, false);
  }
}

PyNumberMethods operator_slots = {
    .nb_add = binary<ops::add>,
    .nb_subtract = binary<ops::subtract>,
    .nb_multiply = binary<ops::multiply>,
    .nb_remainder = binary<ops::floor_mod>,
    .nb_power = power,
    .nb_negative = unary<ops::negative>,
    .nb_positive = unary<ops::identity>,
    .nb_absolute = unary<ops::abs>,
    .nb_invert = invert,
    .nb_and = logical<ops::logical_and, ops::bitwise_and>,
    .nb_xor = logical<ops::logical_xor, ops::bitwise_xor>,
    .nb_or = logical<ops::logical_or, ops::bitwise_or>,
    .nb_floor_divide = binary<ops::floor_div>,
    .nb_true_divide = true_divide,
    .nb_matrix_multiply = matrix_multiply,
};

}  // namespace ef::py
