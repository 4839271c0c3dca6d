// One native function for each optimizer: a whole step over lists of variables, slots and
// gradients.
#include "bindings/optimizers.h"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_ref.h"
#include "bindings/py_variable.h"
#include "eager/dispatch.h"
#include "kernels/cpu/optimizers.h"
#include "ops/compose.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ef::py {
namespace {

// A variable, its slots and its gradient.
struct Target {
  VariableRef variable;
  VariableRef slots[cpu::kMaxSlots];
  PyRef python_gradient;
  Tensor gradient;  // empty for rules that read none
  bool sparse = false;
  std::vector<int64_t> rows;  // of a sparse gradient: the rows that it updates
};

VariableRef variable_at(PyObject* list, Py_ssize_t i) {
  PyObject* item = PyList_GET_ITEM(list, i);
  if (!is_variable(item)) {
    fail(Code::kTypeError, "An optimizer updates Variables, but entry ", i, " of a list is a ",
         Py_TYPE(item)->tp_name, ".");
  }
  return VariableRef(variable_of(item));
}

// Takes references to all entries of the lists before any Python code runs, which may change the
// lists. Absent slots and gradients are None.
std::vector<Target> targets_of(nb::handle variables, std::initializer_list<nb::handle> slots,
                               nb::handle gradients) {
  const Py_ssize_t count = PyList_GET_SIZE(variables.ptr());
  if (!gradients.is_none() && PyList_GET_SIZE(gradients.ptr()) != count) {
    fail(Code::kValueError, "An optimizer needs one gradient per variable, but there are ",
         PyList_GET_SIZE(gradients.ptr()), " gradients for ", count, " variables.");
  }
  std::vector<Target> targets(static_cast<size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    Target& target = targets[static_cast<size_t>(i)];
    target.variable = variable_at(variables.ptr(), i);
    if (gradients.is_none()) continue;
    target.python_gradient = PyRef::share(PyList_GET_ITEM(gradients.ptr(), i));
  }
  int k = 0;
  for (const nb::handle slot : slots) {
    if (!slot.is_none()) {
      if (PyList_GET_SIZE(slot.ptr()) != count) {
        fail(Code::kValueError, "An optimizer needs one slot variable per variable, but there are ",
             PyList_GET_SIZE(slot.ptr()), " slots for ", count, " variables.");
      }
      for (Py_ssize_t i = 0; i < count; ++i) {
        targets[static_cast<size_t>(i)].slots[k] = variable_at(slot.ptr(), i);
      }
    }
    ++k;
  }
  return targets;
}

// A gradient is a tensor, or a tuple (rows, values) for some rows of one.
void convert_gradient(Target& target) {
  PyObject* const gradient = target.python_gradient;
  if (!gradient) return;
  if (!PyTuple_Check(gradient) || PyTuple_GET_SIZE(gradient) != 2) {
    target.gradient = to_tensor(gradient);
    return;
  }
  target.sparse = true;
  target.gradient = to_tensor(PyTuple_GET_ITEM(gradient, 1));
  const Tensor rows = to_tensor(PyTuple_GET_ITEM(gradient, 0));
  if (!kIndexTypes.contains(rows.dtype())) {
    invalid_argument("The rows to update must be int32 or int64, not ", rows.dtype(), ".");
  }
  const Tensor wide = cast_to(rows, DType::kInt64);
  target.rows.assign(wide.data<int64_t>(), wide.data<int64_t>() + wide.size());
}

// The shape that the gradient's values must have.
Shape gradient_shape(const Target& target, const Shape& shape) {
  if (!target.sparse) return shape;
  if (shape.rank() == 0) invalid_argument("A scalar variable has no rows to update.");
  for (size_t i = 0; i < target.rows.size(); ++i) {
    if (target.rows[i] < 0 || target.rows[i] >= shape[0]) {
      invalid_argument("indices[", i, "] = ", target.rows[i], " is not in [0, ", shape[0],
                       ") [Op:ResourceScatterAdd]");
    }
  }
  Shape rows = shape;
  rows[0] = static_cast<int64_t>(target.rows.size());
  return rows;
}

void check(const Target& target) {
  const Tensor value = target.variable->peek();
  if (!is_floating(value.dtype())) {
    invalid_argument("Optimizers update floating variables, not ", value.dtype(), ".");
  }
  if (target.gradient && (target.gradient.dtype() != value.dtype() ||
                          target.gradient.shape() != gradient_shape(target, value.shape()))) {
    invalid_argument("The gradient has shape ", target.gradient.shape(), " and dtype ",
                     target.gradient.dtype(), ", but its variable has shape ", value.shape(),
                     " and dtype ", value.dtype(), ".");
  }
  for (const VariableRef& slot : target.slots) {
    if (!slot) continue;
    // An update locks the variable and all slots.
    if (slot.get() == target.variable.get() ||
        std::ranges::count(target.slots, slot.get(), &VariableRef::get) > 1) {
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

// Variables are unlocked before the GIL is acquired: a reader may hold the GIL and wait for one.
void run(const cpu::OptimizerStep& step, const Target& target) {
  const Tensor& gradient = target.gradient;
  const int64_t size = gradient ? gradient.size() : target.variable->peek().size();
  const KernelRegion region(4.0 * static_cast<double>(size));
  const Variable::Update variable(*target.variable);
  // Other threads may have run since the check.
  const Shape& shape = variable.tensor().shape();
  if (gradient ? gradient.shape() != gradient_shape(target, shape) : shape.num_elements() != size) {
    changed_meanwhile();
  }
  std::optional<Variable::Update> slots[cpu::kMaxSlots];
  cpu::UpdateArrays arrays;
  arrays.variable = variable.tensor().mutable_raw_data();
  arrays.gradient = gradient ? gradient.raw_data() : arrays.variable;
  arrays.count = size;
  for (int k = 0; k < cpu::kMaxSlots; ++k) {
    if (!target.slots[k]) continue;
    slots[k].emplace(*target.slots[k]);
    if (slots[k]->tensor().shape() != shape) changed_meanwhile();
    arrays.slots[k] = slots[k]->tensor().mutable_raw_data();
  }
  if (!target.sparse) return cpu::run_update(step, target.variable->dtype(), arrays);
  if (target.rows.empty()) return;
  const int64_t row_size = arrays.count / static_cast<int64_t>(target.rows.size());
  cpu::run_row_update(step, target.variable->dtype(), arrays, target.rows, row_size);
}

void update(const cpu::OptimizerStep& step, nb::handle variables,
            std::initializer_list<nb::handle> slots, nb::handle gradients) {
  std::vector<Target> targets = targets_of(variables, slots, gradients);
  for (Target& target : targets) convert_gradient(target);
  // Everything is checked before anything is written.
  for (const Target& target : targets) check(target);
  for (const Target& target : targets) run(step, target);
}

using OptionalList = std::optional<nb::list>;

nb::handle list_or_none(const OptionalList& list) {
  return list ? nb::handle(*list) : nb::handle(Py_None);
}

}  // namespace

// Every function takes lists of as many entries as there are variables. A gradient is a tensor, or
// a tuple (rows, values): then only those rows of the variable and its slots change. The rules:
// kernels/cpu/optimizer_rules.h.
void add_optimizers(nb::module_& module) {
  module.def(
      "gradient_descent_update",
      [](nb::list variables, nb::list gradients, double learning_rate) {
        update(cpu::GradientDescentStep{learning_rate}, variables, {}, gradients);
      },
      "variables"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a);
  module.def(
      "momentum_update",
      [](nb::list variables, nb::list momentums, nb::list gradients, double learning_rate,
         double momentum, bool nesterov) {
        update(cpu::MomentumStep{learning_rate, momentum, nesterov}, variables, {momentums},
               gradients);
      },
      "variables"_a, "momentums"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a, "momentum"_a,
      "nesterov"_a);
  module.def(
      "adam_update",
      [](nb::list variables, nb::list momentums, nb::list velocities,
         const OptionalList& max_velocities, nb::list gradients, double learning_rate,
         double beta_1, double beta_2, double epsilon) {
        update(cpu::AdamStep{learning_rate, beta_1, beta_2, epsilon}, variables,
               {momentums, velocities, list_or_none(max_velocities)}, gradients);
      },
      "variables"_a, "momentums"_a, "velocities"_a, "max_velocities"_a.none(), "gradients"_a,
      nb::kw_only(), "learning_rate"_a, "beta_1"_a, "beta_2"_a, "epsilon"_a,
      "With `max_velocities`, the update of AMSGrad.");
  module.def(
      "adamax_update",
      [](nb::list variables, nb::list momentums, nb::list norms, nb::list gradients,
         double learning_rate, double beta_1, double beta_2, double epsilon) {
        update(cpu::AdamaxStep{learning_rate, beta_1, beta_2, epsilon}, variables,
               {momentums, norms}, gradients);
      },
      "variables"_a, "momentums"_a, "norms"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a,
      "beta_1"_a, "beta_2"_a, "epsilon"_a);
  module.def(
      "nadam_update",
      [](nb::list variables, nb::list momentums, nb::list velocities, nb::list gradients,
         double momentum_rate, double gradient_rate, double beta_1, double beta_2, double epsilon) {
        update(cpu::NadamStep{momentum_rate, gradient_rate, beta_1, beta_2, epsilon}, variables,
               {momentums, velocities}, gradients);
      },
      "variables"_a, "momentums"_a, "velocities"_a, "gradients"_a, nb::kw_only(), "momentum_rate"_a,
      "gradient_rate"_a, "beta_1"_a, "beta_2"_a, "epsilon"_a);
  module.def(
      "rmsprop_update",
      [](nb::list variables, nb::list velocities, const OptionalList& momentums,
         const OptionalList& average_gradients, nb::list gradients, double learning_rate,
         double rho, double momentum, double epsilon) {
        update(cpu::RMSpropStep{learning_rate, rho, momentum, epsilon}, variables,
               {velocities, list_or_none(momentums), list_or_none(average_gradients)}, gradients);
      },
      "variables"_a, "velocities"_a, "momentums"_a.none(), "average_gradients"_a.none(),
      "gradients"_a, nb::kw_only(), "learning_rate"_a, "rho"_a, "momentum"_a, "epsilon"_a,
      "Centered with `average_gradients`.");
  module.def(
      "adagrad_update",
      [](nb::list variables, nb::list accumulators, nb::list gradients, double learning_rate,
         double epsilon) {
        update(cpu::AdagradStep{learning_rate, epsilon}, variables, {accumulators}, gradients);
      },
      "variables"_a, "accumulators"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a,
      "epsilon"_a);
  module.def(
      "adadelta_update",
      [](nb::list variables, nb::list accumulated_grads, nb::list accumulated_delta_vars,
         nb::list gradients, double learning_rate, double rho, double epsilon) {
        update(cpu::AdadeltaStep{learning_rate, rho, epsilon}, variables,
               {accumulated_grads, accumulated_delta_vars}, gradients);
      },
      "variables"_a, "accumulated_grads"_a, "accumulated_delta_vars"_a, "gradients"_a,
      nb::kw_only(), "learning_rate"_a, "rho"_a, "epsilon"_a);
  module.def(
      "ftrl_update",
      [](nb::list variables, nb::list accumulators, nb::list linears, nb::list gradients,
         double learning_rate, double learning_rate_power, double l1, double l2,
         double l2_shrinkage) {
        update(cpu::FtrlStep{learning_rate, learning_rate_power, l1, l2, l2_shrinkage}, variables,
               {accumulators, linears}, gradients);
      },
      "variables"_a, "accumulators"_a, "linears"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a,
      "learning_rate_power"_a, "l1"_a, "l2"_a, "l2_shrinkage"_a);
  module.def(
      "lion_update",
      [](nb::list variables, nb::list momentums, nb::list gradients, double learning_rate,
         double beta_1, double beta_2) {
        update(cpu::LionStep{learning_rate, beta_1, beta_2}, variables, {momentums}, gradients);
      },
      "variables"_a, "momentums"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a, "beta_1"_a,
      "beta_2"_a);
  module.def(
      "decay_weights",
      [](nb::list variables, double rate) {
        update(cpu::WeightDecayStep{rate}, variables, {}, nb::none());
      },
      "variables"_a, nb::kw_only(), "rate"_a, "Takes the part `rate` off every variable.");
  module.def(
      "update_averages",
      [](nb::list averages, nb::list values, double momentum) {
        update(cpu::MovingAverageStep{momentum}, averages, {}, values);
      },
      "averages"_a, "values"_a, nb::kw_only(), "momentum"_a,
      "Moves exponential moving averages towards new values.");
}

}  // namespace ef::py
