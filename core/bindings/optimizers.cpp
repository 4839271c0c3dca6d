// One native function for each optimizer: a whole step over lists of variables, slots and
// gradients.
#include "bindings/optimizers.h"

#include <nanobind/stl/optional.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bindings/convert.h"
#include "bindings/errors.h"
#include "bindings/py_ref.h"
#include "bindings/py_tensor.h"
#include "bindings/py_variable.h"
#include "eager/fused_update.h"
#include "eager/profile.h"
#include "graph/fused_updates.h"
#include "ops/compose.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace ef::py {
namespace {

// An argument of a rule: a Python number, or a scalar of a graph.
using Numbers = std::initializer_list<nb::handle>;
using Make = cpu::OptimizerStep (*)(std::span<const double>);

VariableRef variable_at(PyObject* list, Py_ssize_t i) {
  PyObject* item = PyList_GET_ITEM(list, i);
  if (!is_variable(item)) {
    fail(Code::kTypeError, "An optimizer updates Variables, but entry ", i, " of a list is a ",
         Py_TYPE(item)->tp_name, ".");
  }
  return VariableRef(variable_of(item));
}

// Takes references to all entries of the lists before any Python code runs, because that may change
// the lists. Missing slots and gradients are None.
std::vector<UpdateTarget> targets_of(nb::handle variables, std::initializer_list<nb::handle> slots,
                                     nb::handle gradients, std::vector<PyRef>& held) {
  const Py_ssize_t count = PyList_GET_SIZE(variables.ptr());
  if (!gradients.is_none() && PyList_GET_SIZE(gradients.ptr()) != count) {
    fail(Code::kValueError, "An optimizer needs one gradient per variable, but there are ",
         PyList_GET_SIZE(gradients.ptr()), " gradients for ", count, " variables.");
  }
  std::vector<UpdateTarget> targets(static_cast<size_t>(count));
  held.reserve(targets.size());
  for (Py_ssize_t i = 0; i < count; ++i) {
    targets[static_cast<size_t>(i)].variable = variable_at(variables.ptr(), i);
    if (!gradients.is_none()) held.push_back(PyRef::share(PyList_GET_ITEM(gradients.ptr(), i)));
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

// A gradient is a tensor, or a tuple. (rows, values) changes only these rows; with (rows, values,
// True), the gradients of all other rows are 0.
void convert_gradient(PyObject* gradient, UpdateTarget& target) {
  const Py_ssize_t parts = PyTuple_Check(gradient) ? PyTuple_GET_SIZE(gradient) : 0;
  target.every_row = parts == 3 && PyTuple_GET_ITEM(gradient, 2) == Py_True;
  if (parts != 2 && !target.every_row) {
    target.gradient = to_tensor(gradient);
    return;
  }
  target.sparse = true;
  target.gradient = to_tensor(PyTuple_GET_ITEM(gradient, 1));
  const Tensor rows = to_tensor(PyTuple_GET_ITEM(gradient, 0));
  if (!kIndexTypes.contains(rows.dtype())) {
    invalid_argument("The rows to update must be int32 or int64, not ", rows.dtype(), ".");
  }
  target.rows = cast_to(rows, DType::kInt64);
}

void update(const char* type, Make make, Numbers numbers, nb::handle variables,
            std::initializer_list<nb::handle> slots, nb::handle gradients) {
  std::vector<PyRef> held;
  std::vector<UpdateTarget> targets = targets_of(variables, slots, gradients, held);
  for (size_t i = 0; i < held.size(); ++i) convert_gradient(held[i].get(), targets[i]);
  const auto real = [](nb::handle number) { return to_double(number.ptr(), "a hyperparameter"); };
  if (graph::Graph* const graph = graph::building()) {
    graph::Hyperparameters hyperparameters{make, {}, {}};
    for (const nb::handle number : numbers) {
      const bool symbolic = is_tensor(number.ptr());
      hyperparameters.numbers.push_back(symbolic ? 0 : real(number));
      hyperparameters.symbolic.push_back(symbolic ? tensor_of(number.ptr()) : Tensor());
    }
    return graph::add_update(*graph, type, hyperparameters, targets);
  }
  InlineVector<double, 8> values;
  for (const nb::handle number : numbers) values.push_back(real(number));
  std::optional<profile::Scope> scope;
  if (profile::active()) scope.emplace(type);
  ef::update(make({values.begin(), values.size()}), std::move(targets));
}

using OptionalList = std::optional<nb::list>;

template <class Step, size_t count>
cpu::OptimizerStep make_step(std::span<const double> numbers) {
  return [&]<size_t... k>(std::index_sequence<k...>) {
    return Step{numbers[k]...};
  }(std::make_index_sequence<count>());
}

template <bool nesterov>
cpu::OptimizerStep momentum_step(std::span<const double> numbers) {
  return cpu::MomentumStep{numbers[0], numbers[1], nesterov};
}

nb::handle list_or_none(const OptionalList& list) {
  return list ? nb::handle(*list) : nb::handle(Py_None);
}

}  // namespace

// The lists of every function have one entry per variable. A gradient is a tensor or a tuple.
// (rows, values) changes only those rows of the variable and its slots; with (rows, values, True),
// all other rows change, too, and their gradients are 0. kernels/cpu/optimizer_rules.h has the
// rules.
void add_optimizers(nb::module_& module) {
  module.def(
      "gradient_descent_update",
      [](nb::list variables, nb::list gradients, nb::handle learning_rate) {
        update("ResourceApplyGradientDescent", make_step<cpu::GradientDescentStep, 1>,
               {learning_rate}, variables, {}, gradients);
      },
      "variables"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a);
  module.def(
      "momentum_update",
      [](nb::list variables, nb::list momentums, nb::list gradients, nb::handle learning_rate,
         nb::handle momentum, bool nesterov) {
        update("ResourceApplyKerasMomentum",
               nesterov ? Make(momentum_step<true>) : momentum_step<false>,
               {learning_rate, momentum}, variables, {momentums}, gradients);
      },
      "variables"_a, "momentums"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a, "momentum"_a,
      "nesterov"_a);
  module.def(
      "adam_update",
      [](nb::list variables, nb::list momentums, nb::list velocities,
         const OptionalList& max_velocities, nb::list gradients, nb::handle learning_rate,
         nb::handle beta_1, nb::handle beta_2, nb::handle epsilon) {
        update("ResourceApplyAdam", make_step<cpu::AdamStep, 4>,
               {learning_rate, beta_1, beta_2, epsilon}, variables,
               {momentums, velocities, list_or_none(max_velocities)}, gradients);
      },
      "variables"_a, "momentums"_a, "velocities"_a, "max_velocities"_a.none(), "gradients"_a,
      nb::kw_only(), "learning_rate"_a, "beta_1"_a, "beta_2"_a, "epsilon"_a,
      "With `max_velocities`, the update is AMSGrad's.");
  module.def(
      "adamax_update",
      [](nb::list variables, nb::list momentums, nb::list norms, nb::list gradients,
         nb::handle learning_rate, nb::handle beta_1, nb::handle beta_2, nb::handle epsilon) {
        update("ResourceApplyAdaMax", make_step<cpu::AdamaxStep, 4>,
               {learning_rate, beta_1, beta_2, epsilon}, variables, {momentums, norms}, gradients);
      },
      "variables"_a, "momentums"_a, "norms"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a,
      "beta_1"_a, "beta_2"_a, "epsilon"_a);
  module.def(
      "nadam_update",
      [](nb::list variables, nb::list momentums, nb::list velocities, nb::list gradients,
         nb::handle momentum_rate, nb::handle gradient_rate, nb::handle beta_1, nb::handle beta_2,
         nb::handle epsilon) {
        update("ApplyNadam", make_step<cpu::NadamStep, 5>,
               {momentum_rate, gradient_rate, beta_1, beta_2, epsilon}, variables,
               {momentums, velocities}, gradients);
      },
      "variables"_a, "momentums"_a, "velocities"_a, "gradients"_a, nb::kw_only(), "momentum_rate"_a,
      "gradient_rate"_a, "beta_1"_a, "beta_2"_a, "epsilon"_a);
  module.def(
      "rmsprop_update",
      [](nb::list variables, nb::list velocities, const OptionalList& momentums,
         const OptionalList& average_gradients, nb::list gradients, nb::handle learning_rate,
         nb::handle rho, nb::handle momentum, nb::handle epsilon) {
        update("ResourceApplyRMSProp", make_step<cpu::RMSpropStep, 4>,
               {learning_rate, rho, momentum, epsilon}, variables,
               {velocities, list_or_none(momentums), list_or_none(average_gradients)}, gradients);
      },
      "variables"_a, "velocities"_a, "momentums"_a.none(), "average_gradients"_a.none(),
      "gradients"_a, nb::kw_only(), "learning_rate"_a, "rho"_a, "momentum"_a, "epsilon"_a,
      "Centered with `average_gradients`.");
  module.def(
      "adagrad_update",
      [](nb::list variables, nb::list accumulators, nb::list gradients, nb::handle learning_rate,
         nb::handle epsilon) {
        update("ResourceApplyAdagradV2", make_step<cpu::AdagradStep, 2>, {learning_rate, epsilon},
               variables, {accumulators}, gradients);
      },
      "variables"_a, "accumulators"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a,
      "epsilon"_a);
  module.def(
      "adadelta_update",
      [](nb::list variables, nb::list accumulated_grads, nb::list accumulated_delta_vars,
         nb::list gradients, nb::handle learning_rate, nb::handle rho, nb::handle epsilon) {
        update("ResourceApplyAdadelta", make_step<cpu::AdadeltaStep, 3>,
               {learning_rate, rho, epsilon}, variables,
               {accumulated_grads, accumulated_delta_vars}, gradients);
      },
      "variables"_a, "accumulated_grads"_a, "accumulated_delta_vars"_a, "gradients"_a,
      nb::kw_only(), "learning_rate"_a, "rho"_a, "epsilon"_a);
  module.def(
      "ftrl_update",
      [](nb::list variables, nb::list accumulators, nb::list linears, nb::list gradients,
         nb::handle learning_rate, nb::handle learning_rate_power, nb::handle l1, nb::handle l2,
         nb::handle l2_shrinkage) {
        update("ResourceApplyFtrlV2", make_step<cpu::FtrlStep, 5>,
               {learning_rate, learning_rate_power, l1, l2, l2_shrinkage}, variables,
               {accumulators, linears}, gradients);
      },
      "variables"_a, "accumulators"_a, "linears"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a,
      "learning_rate_power"_a, "l1"_a, "l2"_a, "l2_shrinkage"_a);
  module.def(
      "lion_update",
      [](nb::list variables, nb::list momentums, nb::list gradients, nb::handle learning_rate,
         nb::handle beta_1, nb::handle beta_2) {
        update("ApplyLion", make_step<cpu::LionStep, 3>, {learning_rate, beta_1, beta_2}, variables,
               {momentums}, gradients);
      },
      "variables"_a, "momentums"_a, "gradients"_a, nb::kw_only(), "learning_rate"_a, "beta_1"_a,
      "beta_2"_a);
  module.def(
      "decay_weights",
      [](nb::list variables, nb::handle rate) {
        update("DecayWeights", make_step<cpu::WeightDecayStep, 1>, {rate}, variables, {},
               nb::none());
      },
      "variables"_a, nb::kw_only(), "rate"_a, "Multiplies every variable by 1 - rate.");
  module.def(
      "update_averages",
      [](nb::list averages, nb::list values, nb::handle momentum) {
        update("UpdateAverages", make_step<cpu::MovingAverageStep, 1>, {momentum}, averages, {},
               values);
      },
      "averages"_a, "values"_a, nb::kw_only(), "momentum"_a,
      "Moves exponential moving averages towards new values.");
}

}  // namespace ef::py
