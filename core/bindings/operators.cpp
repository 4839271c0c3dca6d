// Python's operators on tensors and variables.
#include <Python.h>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/override.h"
#include "bindings/promotion.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "bindings/unfit_integers.h"
#include "eager/dispatch.h"
#include "graph/equality.h"
#include "graph/record.h"
#include "ops/compose.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/op.h"

namespace ef::py {
namespace {

// Both operands as tensors.
struct Operands {
  Tensor a;
  Tensor b;
};

// Whether it is a tensor that is not weak.
bool is_ordinary(PyObject* object) { return is_tensor_type(Py_TYPE(object)); }

bool is_ours(PyObject* object) {
  return is_ordinary(object) || is_variable(object) || is_weak(object);
}

Tensor operand(PyObject* object) {
  return is_tensor(object) ? tensor_of(object) : read_variable(object);
}

// The rule by which the operation converts a Python value on the right of a tensor.
Converts right_of(const Op& op) { return op.inputs[1].converts; }

// A Python value on the left of a tensor is converted to its dtype. A value on the right is, too,
// if the operation converts both together. Tensors of different dtypes stay unchanged: the
// operation reports them.
Operands convert_operands(Converts right, PyObject* a, PyObject* b, Unfit unfit = Unfit::kWrap) {
  if (is_ours(a)) {
    Operands both{operand(a), {}};
    if (is_ours(b)) {
      both.b = operand(b);
    } else if (right == Converts::kTogether) {
      both.b = to_tensor(b, both.a.dtype(), DType::kInvalid, unfit);
    } else {
      both.b = to_tensor(b, DType::kInvalid, both.a.dtype(), unfit);
    }
    return both;
  }
  Operands both{{}, operand(b)};
  both.a = to_tensor(a, both.b.dtype(), DType::kInvalid, unfit);
  return both;
}

bool is_composite(PyObject* object) {
  static PyObject* const composite = PyUnicode_InternFromString("_is_composite_tensor");
  return _PyType_Lookup(Py_TYPE(object), composite) != nullptr;
}

// Whether the class of the object defines the operators, as for symbolic values. Composite values
// are asked only after a conversion has failed, because some of them lack operators.
bool operates_itself(PyObject* object) {
  return overrides(object) && !is_weak(object) && !is_composite(object);
}

bool is_misfit() {
  return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError);
}

// Calls the right operand's reflected method after the operator of the tensor on the left failed.
// If there is none, the error that is set stays.
[[gnu::cold]] PyObject* ask_right_operand(PyObject* a, PyObject* b, const char* method) noexcept {
  if (!is_misfit()) return nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  // All classes have comparisons, whose reflections have no "r"; only composite values accept
  // tensors.
  const bool knows_tensors =
      (method[2] == 'r' || is_composite(b)) &&
      PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(b)), method);
  PyObject* result =
      knows_tensors ? PyObject_CallMethod(b, method, "O", a) : Py_NewRef(Py_NotImplemented);
  if (result == Py_NotImplemented || (!result && is_misfit())) {
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  return result;
}

// Whether an operator promotes the dtypes of its operands, if the program has enabled promotion.
enum class Dtypes : bool { kAsTheyAre, kPromoted };

// Both operands, promoted, and whether the result is weak. Converted operands if promotion leaves
// them unchanged.
[[gnu::cold, gnu::noinline]] Operands promoted_operands(Converts right, PyObject* a, PyObject* b,
                                                        bool& weak) {
  const std::optional<Promoted> promoted = promote(a, b);
  if (!promoted) return convert_operands(right, a, b);
  weak = promoted->weak;
  return {promoted->a, promoted->b};
}

// The result of `run`, which also returns whether it is weak. `reflected` is the name of the method
// of other classes that may support the operands; null if there is none.
template <class Run>
PyObject* answered(PyObject* a, PyObject* b, const char* reflected, const Run& run) noexcept {
  if (operates_itself(is_ours(a) ? b : a)) Py_RETURN_NOTIMPLEMENTED;
  bool weak = false;
  PyObject* const result = guarded([&] { return run(weak); });
  if (weak && result) return weaken(result);
  if (result || !reflected || !is_ours(a) || is_ours(b)) return result;
  return ask_right_operand(a, b, reflected);
}

// Runs `body` on converted operands.
template <Dtypes dtypes = Dtypes::kAsTheyAre, class Body>
PyObject* with_operands(Converts right, PyObject* a, PyObject* b, const char* reflected,
                        const Body& body) noexcept {
  return answered(a, b, reflected, [&](bool& weak) {
    return body(dtypes == Dtypes::kPromoted && promotes_now() ? promoted_operands(right, a, b, weak)
                                                              : convert_operands(right, a, b));
  });
}

// A binary operator: its operation, the name of its reflected method, and the name of its nodes.
struct Operator {
  const Op& op;
  const char* reflected;
  const char* node;
};

// Runs the body of a comparison between a tensor and integers that its dtype cannot hold.
template <class Body>
[[gnu::cold, gnu::noinline]] PyObject* compare_values(const Op& op, PyObject* a, PyObject* b,
                                                      const Body& body) {
  const bool swapped = !is_ours(a);
  const Tensor x = operand(swapped ? b : a);
  const Saturated integers = saturated(swapped ? a : b, x.dtype());
  const PyRef result =
      checked(body(swapped ? Operands{integers.values, x} : Operands{x, integers.values}));
  Shape shape;
  if (!broadcast_shapes(x.shape(), integers.values.shape(), &shape)) return Py_NewRef(result.get());
  return wrap(compared(op, tensor_of(result), integers, swapped));
}

// Like with_operands, for comparisons.
template <Dtypes dtypes, class Body>
PyObject* with_compared(const Op& op, PyObject* a, PyObject* b, const char* reflected,
                        const Body& body) noexcept {
  return answered(a, b, reflected, [&](bool& weak) {
    if (dtypes == Dtypes::kPromoted && promotes_now()) {
      return body(promoted_operands(right_of(op), a, b, weak));
    }
    try {
      return body(convert_operands(right_of(op), a, b, Unfit::kThrow));
    } catch (const UnfitInteger&) {
      return compare_values(op, a, b, body);
    }
  });
}

constexpr Operator kAdd{ops::add, "__radd__", "add"};
constexpr Operator kSubtract{ops::subtract, "__rsub__", "sub"};
constexpr Operator kMultiply{ops::multiply, "__rmul__", "mul"};
constexpr Operator kRemainder{ops::floor_mod, "__rmod__", "mod"};
constexpr Operator kFloorDivide{ops::floor_div, "__rfloordiv__", "floordiv"};
constexpr Operator kPower{ops::pow, "__rpow__", "pow"};
constexpr Operator kLess{ops::less, "__gt__", "Less"};
constexpr Operator kLessEqual{ops::less_equal, "__ge__", "LessEqual"};
constexpr Operator kGreater{ops::greater, "__lt__", "Greater"};
constexpr Operator kGreaterEqual{ops::greater_equal, "__le__", "GreaterEqual"};

PyObject* on_tensors(const Op& op, const char* node, PyObject* a, PyObject* b) {
  const graph::NodeName name(node);
  Borrowed inputs;
  inputs.push(tensor_of(a).impl());
  inputs.push(tensor_of(b).impl());
  return guarded([&] { return run_op(op, inputs.tensors(), {}); });
}

template <const Operator& entry>
PyObject* binary(PyObject* a, PyObject* b) {
  if (is_ordinary(a) && is_ordinary(b)) {
    PyObject* const result = on_tensors(entry.op, entry.node, a, b);
    if (result || !promotes_now()) [[likely]]
      return result;
    PyErr_Clear();  // an error about two dtypes
  }
  return with_operands<Dtypes::kPromoted>(right_of(entry.op), a, b, entry.reflected,
                                          [](const Operands& both) {
                                            const graph::NodeName name(entry.node);
                                            return wrap(call(entry.op, {both.a, both.b}));
                                          });
}

template <const Operator& entry>
PyObject* order(PyObject* a, PyObject* b) {
  if (is_tensor(a) && is_tensor(b)) return on_tensors(entry.op, entry.node, a, b);
  return with_compared<Dtypes::kAsTheyAre>(entry.op, a, b, entry.reflected,
                                           [](const Operands& both) {
                                             const graph::NodeName name(entry.node);
                                             return wrap(call(entry.op, {both.a, both.b}));
                                           });
}

// Whether an operand of a multiplication is boolean, apart from a variable on the right.
bool multiplies_bools(PyObject* a, PyObject* b) {
  const auto is_bool = [](PyObject* object, bool look_into) {
    if (is_tensor(object)) return tensor_of(object).dtype() == DType::kBool;
    return look_into && is_variable(object) && variable_dtype(object) == DType::kBool;
  };
  return is_bool(a, true) || is_bool(b, !is_ours(a));
}

// Booleans are multiplied as integers; the other operand is converted to booleans.
[[gnu::cold]] PyObject* multiply_bools(PyObject* a, PyObject* b) {
  if (operates_itself(is_ours(a) ? b : a)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* result = guarded([&] {
    const Tensor x = is_ours(a) ? operand(a) : to_tensor(a, DType::kBool);
    const Tensor y = is_ours(b) ? operand(b) : to_tensor(b);
    const Tensor product =
        call(ops::multiply, {cast_to(x, DType::kInt32), cast_to(y, DType::kInt32)});
    return wrap(cast_to(product, DType::kBool));
  });
  if (result || !is_ours(a) || is_ours(b)) return result;
  return ask_right_operand(a, b, kMultiply.reflected);
}

PyObject* multiply(PyObject* a, PyObject* b) {
  if (multiplies_bools(a, b)) return multiply_bools(a, b);
  return binary<kMultiply>(a, b);
}

// As in TensorFlow, the quotient of short integers is float32, of other integers float64.
[[noreturn]] void indivisible(DType dtype) {
  fail(Code::kTypeError, "Invalid dtype tf.", dtype_name(dtype),
       " in __truediv__. Expected one of the integer, floating-point and complex dtypes.");
}

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
    case DType::kBool:
    case DType::kString: indivisible(t.dtype());
    default:
      if (kStoredTypes.contains(t.dtype())) indivisible(t.dtype());
      return t;
  }
}

PyObject* true_divide(PyObject* a, PyObject* b) {
  if (is_ordinary(a) && is_ordinary(b)) {
    const DType dtype = tensor_of(a).dtype();
    if (dtype == tensor_of(b).dtype() && kInexactTypes.contains(dtype)) {
      return on_tensors(ops::real_divide, "truediv", a, b);
    }
  }
  return with_operands<Dtypes::kPromoted>(
      Converts::kAlone, a, b, "__rtruediv__", [](const Operands& both) {
        if (both.a.dtype() != both.b.dtype()) {
          fail(Code::kTypeError, "`x` and `y` must have the same dtype, got tf.",
               dtype_name(both.a.dtype()), " != tf.", dtype_name(both.b.dtype()), ".");
        }
        const Tensor x = divisible(both.a), y = divisible(both.b);
        const graph::NodeName name("truediv");
        return wrap(call(ops::real_divide, {x, y}));
      });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulo) {
  if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<kPower>(a, b);
}

struct Logical {
  const Op& on_bools;
  const Op& on_bits;
  const char* reflected;
  const char* node;
};

constexpr Logical kAnd{ops::logical_and, ops::bitwise_and, "__rand__", "and"};
constexpr Logical kXor{ops::logical_xor, ops::bitwise_xor, "__rxor__", "xor"};
constexpr Logical kOr{ops::logical_or, ops::bitwise_or, "__ror__", "or"};

template <const Logical& entry>
PyObject* logical(PyObject* a, PyObject* b) {
  return with_operands(right_of(entry.on_bools), a, b, entry.reflected, [](const Operands& both) {
    const Op& op = both.a.dtype() == DType::kBool ? entry.on_bools : entry.on_bits;
    const graph::NodeName name(entry.node);
    return wrap(call(op, {both.a, both.b}));
  });
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
  return with_operands<Dtypes::kPromoted>(
      right_of(ops::matmul), a, b, "__rmatmul__", [](const Operands& both) {
        const graph::NodeName name("matmul");
        return wrap(call(ops::matmul, {both.a, both.b}, ops::MatmulAttrs{}));
      });
}

template <const Op& op>
PyObject* unary(PyObject* self) {
  return guarded([&] { return like(self, wrap(call(op, {operand(self)}))); });
}

PyObject* invert(PyObject* self) {
  return guarded([&] {
    const Tensor tensor = operand(self);
    const Op& op = tensor.dtype() == DType::kBool ? ops::logical_not : ops::invert;
    return like(self, wrap(call(op, {tensor})));
  });
}

bool identity_of_all = false;

// Whether tensors and variables are compared by identity, as in version 1's graphs, where they are
// keys of dictionaries.
bool compares_identity(PyObject* object) {
  if (identity_of_all) return true;
  if (graph::graphs_begun == 0 && !(is_tensor(object) && tensor_of(object).impl()->lazy())) {
    return false;
  }
  const Symbol* const symbol = is_tensor(object) ? symbol_of(tensor_of(object)) : nullptr;
  const graph::GraphPtr owner = symbol ? symbol->graph() : nullptr;
  const graph::Graph* const graph = owner ? owner.get() : graph::building();
  return graph && graph->in_program();
}

// What identifies an object: graphs may have several for one symbolic tensor.
const void* identity_of(PyObject* object) {
  const bool in_graph = is_tensor(object) && symbol_of(tensor_of(object));
  return in_graph ? static_cast<const void*>(tensor_of(object).impl()) : object;
}

// Tensors are unequal if their shapes do not broadcast. Comparison with None accepts tensors only.
PyObject* equality(PyObject* a, PyObject* b, bool equal) {
  if (b == Py_None && is_tensor(a)) return PyBool_FromLong(!equal);
  if (compares_identity(a)) [[unlikely]]
    return PyBool_FromLong((identity_of(a) == identity_of(b)) == equal);
  const auto compare = [equal](const Operands& both) {
    return wrap(graph::equality(both.a, both.b, equal));
  };
  return equal ? with_compared<Dtypes::kPromoted>(ops::equal, a, b, "__eq__", compare)
               : with_compared<Dtypes::kAsTheyAre>(ops::not_equal, a, b, "__ne__", compare);
}

}  // namespace

void compare_by_identity(bool always) { identity_of_all = always; }

bool all_compare_by_identity() { return identity_of_all; }

Py_hash_t hash_of_identity(PyObject* object) {
  const Symbol* const symbol = is_tensor(object) ? symbol_of(tensor_of(object)) : nullptr;
  const graph::GraphPtr graph = symbol ? symbol->graph() : nullptr;
  if (!identity_of_all && !(graph && graph->in_program())) {
    PyErr_SetString(PyExc_TypeError, "Tensor is unhashable. Instead, use tensor.ref() as the key.");
    return -1;
  }
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(identity_of(object)) >> 4);
}

PyObject* rich_compare(PyObject* a, PyObject* b, int op) {
  switch (op) {
    case Py_LT: return order<kLess>(a, b);
    case Py_LE: return order<kLessEqual>(a, b);
    case Py_GT: return order<kGreater>(a, b);
    case Py_GE: return order<kGreaterEqual>(a, b);
    case Py_EQ: return equality(a, b, true);
    default: return equality(a, b, false);
  }
}

PyNumberMethods operator_slots = {
    .nb_add = binary<kAdd>,
    .nb_subtract = binary<kSubtract>,
    .nb_multiply = multiply,
    .nb_remainder = binary<kRemainder>,
    .nb_power = power,
    .nb_negative = unary<ops::negative>,
    .nb_positive = unary<ops::identity>,
    .nb_absolute = unary<ops::abs>,
    .nb_invert = invert,
    .nb_and = logical<kAnd>,
    .nb_xor = logical<kXor>,
    .nb_or = logical<kOr>,
    .nb_floor_divide = binary<kFloorDivide>,
    .nb_true_divide = true_divide,
    .nb_matrix_multiply = matrix_multiply,
};

}  // namespace ef::py
