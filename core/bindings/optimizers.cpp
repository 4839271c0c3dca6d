// apply_update(kind, variables, slots, gradients, numbers): one native call for a whole step.
#include "bindings/optimizers.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_ref.h"
#include "bindings/py_variable.h"
#include "eager/dispatch.h"
#include "kernels/cpu/optimizers.h"
#include "ops/compose.h"

namespace ef::py {
namespace {

cpu::Update kind_of(const char* text) {
  constexpr std::string_view names[] = {"sgd",     "momentum", "adam",   "rmsprop",
                                        "adagrad", "adadelta", "adamax", "nadam",
                                        "ftrl",    "lion",     "decay",  "average"};
  static_assert(std::size(names) == static_cast<size_t>(cpu::Update::kCount));
  for (size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == text) return static_cast<cpu::Update>(i);
  }
  fail(Code::kValueError, "There is no optimizer update '", text, "'.");
}

struct Step {
  VariableRef variable;
  VariableRef slots[3];
  PyRef given;  // the gradient as it was given
  Tensor gradient;
  bool sparse = false;
  std::vector<int64_t> rows;  // of a sparse gradient: where its rows belong
};

VariableRef variable_at(PyObject* list, Py_ssize_t i) {
  PyObject* item = PyList_GET_ITEM(list, i);
  if (!is_variable(item)) fail(Code::kTypeError, "An optimizer updates Variables.");
  return VariableRef(variable_of(item));
}

// Takes hold of everything that the lists name before any Python code runs, which may change them.
std::vector<Step> steps_of(PyObject* variables, PyObject* slots, PyObject* gradients) {
  const Py_ssize_t count = PyList_GET_SIZE(variables);
  if (PyList_GET_SIZE(gradients) != count || PyList_GET_SIZE(slots) > 3) {
    fail(Code::kValueError, "apply_update needs one gradient per variable and at most 3 slots.");
  }
  std::vector<Step> steps(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    Step& step = steps[static_cast<size_t>(i)];
    step.variable = variable_at(variables, i);
    step.given = PyRef::share(PyList_GET_ITEM(gradients, i));
  }
  for (Py_ssize_t k = 0; k < PyList_GET_SIZE(slots); ++k) {
    PyObject* slot = PyList_GET_ITEM(slots, k);
    if (slot == Py_None) continue;
    if (!PyList_Check(slot) || PyList_GET_SIZE(slot) != count) {
      fail(Code::kValueError, "apply_update needs one slot variable per variable.");
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
      steps[static_cast<size_t>(i)].slots[k] = variable_at(slot, i);
    }
  }
  return steps;
}

// A gradient is a tensor, or a tuple (rows, values) that stands for some rows of one; an update
// that reads none gets None.
void convert_gradient(cpu::Update update, Step& step) {
  PyObject* const gradient = step.given;
  if (update == cpu::Update::kDecay && gradient == Py_None) return;
  if (!PyTuple_Check(gradient) || PyTuple_GET_SIZE(gradient) != 2) {
    step.gradient = to_tensor(gradient);
    return;
  }
  step.sparse = true;
  step.gradient = to_tensor(PyTuple_GET_ITEM(gradient, 1));
  const Tensor rows = to_tensor(PyTuple_GET_ITEM(gradient, 0));
  if (!kIndexTypes.contains(rows.dtype())) {
    invalid_argument("The rows to update must be int32 or int64, not ", rows.dtype(), ".");
  }
  const Tensor wide = cast_to(rows, DType::kInt64);
  step.rows.assign(wide.data<int64_t>(), wide.data<int64_t>() + wide.size());
}

// The shape that the gradient's values must have.
Shape gradient_shape(const Step& step, const Shape& shape) {
  if (!step.sparse) return shape;
  if (shape.rank() == 0) invalid_argument("A scalar variable has no rows to update.");
  for (size_t i = 0; i < step.rows.size(); ++i) {
    if (step.rows[i] < 0 || step.rows[i] >= shape[0]) {
      invalid_argument("indices[", i, "] = ", step.rows[i], " is not in [0, ", shape[0],
                       ") [Op:ResourceScatterAdd]");
    }
  }
  Shape rows = shape;
  rows[0] = static_cast<int64_t>(step.rows.size());
  return rows;
}

void check(const Step& step) {
  const Tensor value = step.variable->peek();
  if (!is_floating(value.dtype())) {
    invalid_argument("Optimizers update floating variables, not ", value.dtype(), ".");
  }
  if (step.gradient && (step.gradient.dtype() != value.dtype() ||
                        step.gradient.shape() != gradient_shape(step, value.shape()))) {
    invalid_argument("The gradient has shape ", step.gradient.shape(), " and dtype ",
                     step.gradient.dtype(), ", but its variable has shape ", value.shape(),
                     " and dtype ", value.dtype(), ".");
  }
  for (const VariableRef& slot : step.slots) {
    if (!slot) continue;
    // An update locks them all.
    if (slot.get() == step.variable.get() ||
        std::ranges::count(step.slots, slot.get(), &VariableRef::get) > 1) {
      invalid_argument("An optimizer's slots are variables of their own, each for one purpose.");
    }
    const Tensor state = slot->peek();
    if (state.dtype() != value.dtype() || state.shape() != value.shape()) {
      invalid_argument("An optimizer slot has shape ", state.shape(), " and dtype ", state.dtype(),
                       ", but its variable has shape ", value.shape(), " and dtype ", value.dtype(),
                       ".");
    }
  }
}

[[noreturn]] void changed_meanwhile() {
  invalid_argument(
      "A variable was given a value of another shape by another thread while an optimizer updated "
      "it.");
}

// Variables are unlocked before the GIL is taken back: a reader may wait for one with the GIL.
void run(cpu::Update kind, const Step& step, const cpu::UpdateNumbers& numbers) {
  const Tensor& gradient = step.gradient;
  const int64_t size = gradient ? gradient.size() : step.variable->peek().size();
  const KernelRegion region(4.0 * static_cast<double>(size));
  const Variable::Update variable(*step.variable);
  // Other threads may have run since it was checked.
  const Shape& shape = variable.tensor().shape();
  if (gradient ? gradient.shape() != gradient_shape(step, shape) : shape.num_elements() != size) {
    changed_meanwhile();
  }
  std::optional<Variable::Update> slots[3];
  cpu::UpdateArrays arrays;
  arrays.variable = variable.tensor().mutable_raw_data();
  arrays.gradient = gradient ? gradient.raw_data() : nullptr;
  arrays.count = size;
  for (int k = 0; k < 3; ++k) {
    if (!step.slots[k]) continue;
    slots[k].emplace(*step.slots[k]);
    if (slots[k]->tensor().shape() != shape) changed_meanwhile();
    arrays.slots[k] = slots[k]->tensor().mutable_raw_data();
  }
  if (!step.sparse) return cpu::run_update(kind, step.variable->dtype(), arrays, numbers);
  if (step.rows.empty()) return;
  const int64_t row_size = arrays.count / static_cast<int64_t>(step.rows.size());
  cpu::run_row_update(kind, step.variable->dtype(), arrays, numbers, step.rows, row_size);
}

PyObject* apply_update(PyObject*, PyObject* args) {
  const char* kind = nullptr;
  PyObject* variables = nullptr;
  PyObject* slots = nullptr;
  PyObject* gradients = nullptr;
  cpu::UpdateNumbers numbers;
  int nesterov = 0;
  if (!PyArg_ParseTuple(args, "sO!O!O!(dddddp):apply_update", &kind, &PyList_Type, &variables,
                        &PyList_Type, &slots, &PyList_Type, &gradients, &numbers.rate,
                        &numbers.momentum, &numbers.beta1, &numbers.beta2, &numbers.epsilon,
                        &nesterov)) {
    return nullptr;
  }
  numbers.nesterov = nesterov != 0;
  return guarded([&]() -> PyObject* {
    const cpu::Update update = kind_of(kind);
    std::vector<Step> steps = steps_of(variables, slots, gradients);
    for (Step& step : steps) convert_gradient(update, step);
    // Everything is checked before anything is written.
    for (const Step& step : steps) check(step);
    for (const Step& step : steps) run(update, step, numbers);
    Py_RETURN_NONE;
  });
}

PyMethodDef apply_update_def = {
    "apply_update", apply_update, METH_VARARGS,
    "apply_update(kind, variables, slots, gradients, numbers)\n\n"
    "Updates each variable and its slots from its gradient. `slots` holds up to three lists of "
    "variables (or None), `numbers` is (rate, momentum, beta1, beta2, epsilon, nesterov). A "
    "gradient "
    "is a tensor, or a tuple (rows, values): then only those rows change."};

}  // namespace

void add_optimizers(PyObject* module) {
  const PyRef function = checked(PyCFunction_New(&apply_update_def, nullptr));
  if (PyModule_AddObjectRef(module, apply_update_def.ml_name, function.get()) < 0) {
    throw PythonError();
  }
}

}  // namespace ef::py
