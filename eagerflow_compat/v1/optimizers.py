"""Version 1's optimizers: `minimize` with functions or graphs, `global_step`, and slots by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.variable import Variable
from eagerflow.ops import array, indexing
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy
from eagerflow_compat.v1.variable_scope import get_variable_scope

# Imported when they are first used: few programs need them.
gradients = lazy.Module("eagerflow.graph.gradients")
graph_variables = lazy.Module("eagerflow.graph.variables")
training = lazy.Module("eagerflow.graph.training")

_ops = _core.ops


class Optimizer:
    """Base class of version 1's optimizers.

    A subclass defines `_initial_slots`, the slots of each variable, and `_update`, which changes one
    variable by a dense gradient.

    Args:
        use_locking: accepted; updates are never interrupted.
        name: the optimizer's name.

    Raises:
        ValueError: if there is no name.
    """

    # Whether gradients of some rows change the slots of all others, too.
    _changes_all_rows = False
    GATE_NONE = 0
    GATE_OP = 1
    _takes_tape = False  # unlike Keras's, `minimize` takes no tape
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._slots: dict[int, dict[str, Variable]] = {}
        self._dtype: dtypes.DType = dtypes.float32  # of the variable that is being changed
        self._kept: list[Variable] = []  # keeps the identities above in use
        self._graph_slots: dict[int, dict[str, Variable]] = {}
        self._graph_shared: dict[tuple[int, str], Variable] = {}

    def get_name(self) -> str:
        """The optimizer's name."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: TensorLike | None = None,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Any:
        """Computes the gradients of a loss and applies them.

        Args:
            loss: a function without arguments that returns the loss; in a graph, the loss.
            global_step: a variable to be increased by one.
            var_list: the variables to change; by default all trainable ones that the loss reads.
            gate_gradients: accepted, as is the following argument.
            aggregation_method: see above.
            colocate_gradients_with_ops: whether the operations of a gradient in a graph are on the
                device and in the groups of the operation whose gradient they compute.
            name: the operation's name in a graph.
            grad_loss: weighs the elements of the loss.

        Raises:
            ValueError: if no variable has a gradient.
            RuntimeError: if the loss is a tensor and operations run eagerly.

        >>> v = tf.compat.v1.Variable(3.0)
        >>> optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.5)
        >>> _ = optimizer.minimize(lambda: v * v)
        >>> v.numpy()
        np.float32(0.0)
        """
        pairs = self.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                "support gradients, between variables "
                f"{[variable.name for _, variable in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Iterable[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[_core.Tensor | IndexedSlices | None, Variable]]:
        """The gradients of a loss, each with its variable; arguments as those of `minimize`."""
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH. Not {gate_gradients}"
            )
        if callable(loss):
            with GradientTape() as tape:
                if var_list is not None:
                    tape.watch(var_list)
                value = loss()
            variables = list(tape.watched_variables() if var_list is None else var_list)
            return list(zip(tape.gradient(value, variables, grad_loss), variables, strict=True))
        if context.executing_eagerly():
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        chosen = (
            graph_variables.trainable_variables() if var_list is None else nest.flatten(var_list)
        )
        if not chosen:
            raise ValueError("No variables to optimize.")
        found = gradients.added(loss, chosen, grad_loss, colocate=colocate_gradients_with_ops)
        return list(zip(found, chosen, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[tuple[Any, Any]], global_step: Any = None, name: Any = None
    ) -> Any:
        """Updates variables by their gradients.

        Args:
            grads_and_vars: pairs of a gradient (a tensor, a `tf.IndexedSlices` or None) and its
                variable.
            global_step: a variable to be increased by one.
            name: the operation's name in a graph.

        Raises:
            ValueError: if there are no variables, or none has a gradient.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        if all(gradient is None for gradient, _ in pairs):
            raise ValueError(
                f"No gradients provided for any variable: {[str(v.name) for _, v in pairs]}."
            )
        if context.building_graph() is not None:
            return training.apply_gradients(self, pairs, global_step, name or self._name)
        changed = [variable for gradient, variable in pairs if gradient is not None]
        self._begin(changed)
        with eagerly():
            for variable in changed:
                self._slots_of(variable)
            if "_pending_restorations" in self.__dict__:
                # A checkpoint was restored before these slots were made.
                self.__dict__["_pending_restorations"].settle(self)
        for gradient, variable in pairs:
            if gradient is not None:
                self._apply(gradient, variable)
        self._finish()
        if global_step is not None:
            global_step.assign_add(_ops.ones_like(global_step.read_value()))
        return None

    def _apply(self, gradient: Any, variable: Any) -> None:
        slots: dict[str, Any] = self._slots_of(variable)
        self._dtype = variable.dtype
        with _core.stop_recording():
            if isinstance(gradient, IndexedSlices):
                indices, count = gradient.indices, variable.shape.as_list()[0]
                if not self._changes_all_rows:
                    rows, indices = indexing.unique(indices, out_idx=indices.dtype)
                    count = array.size(rows)
                    variable = _Rows(variable, rows)
                    slots = {name: _Rows(slot, rows) for name, slot in slots.items()}
                gradient = _ops.unsorted_segment_sum(gradient.values, indices, num_segments=count)
            self._update(variable, gradient, slots)

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        raise NotImplementedError(f"{type(self).__name__} defines no update rule.")

    def _number(self, value: Any) -> Any:
        """The value of a hyperparameter, which may be a function: a number, or a tensor of a graph."""
        if callable(value) and not isinstance(value, _core.Variable | _core.Tensor):
            value = value()
        if _core.building() is None or not isinstance(value, _core.Variable | _core.Tensor):
            # A number is a tensor of float32 first there, also for variables of float64.
            return float(np.float32(value)) if isinstance(value, float) else float(value)
        return _ops.cast(value, self._dtype)

    def _begin(self, variables: list[Any]) -> None:
        """Called once before the variables of a step are changed."""

    def _finish(self) -> None:
        """Called once after the variables of a step have been changed."""

    def _initial_slots(self) -> dict[str, float]:
        """The slots of each variable, and their initial values."""
        return {}

    def _shared_values(self) -> dict[str, float]:
        """The state that all variables share, and its initial values."""
        return {}

    def _use(self, variables: list[Any], shared: dict[str, Variable], slots: list[dict]) -> None:
        """Uses variables of a graph as slots and shared state."""
        self._slots = {variable._id: kept for variable, kept in zip(variables, slots, strict=True)}

    def _slots_of(self, variable: Any) -> dict[str, Variable]:
        slots = self._slots.get(variable._id)
        if slots is None:
            scope = get_variable_scope().name
            prefix = f"{scope}/{variable._name}" if scope else variable._name
            # The scope of names is not part of slots' names, as it is of those of Adam's powers.
            with name_scope(""):
                slots = {
                    name: Variable(
                        _ops.fill(_core.convert(value, variable.dtype, None), variable.shape),
                        trainable=False,
                        name=f"{prefix}/{self._name}" + ("" if k == 0 else f"_{k}"),
                    )
                    for k, (name, value) in enumerate(self._initial_slots().items())
                }
            self._slots[variable._id] = slots
            self._kept.append(variable)
        return slots

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """A slot of a variable, or None if there is none yet."""
        known = self._graph_slots.get(id(var))
        if known is None:
            known = self._slots.get(getattr(var, "_id", 0), {})
        return known.get(name)

    def get_slot_names(self) -> list[str]:
        """The names of the slots, sorted."""
        return sorted(self._initial_slots())

    def _checkpoint_children(self) -> dict[str, Variable]:
        return {}

    def _checkpoint_slots(self) -> list[tuple[Variable, str, Variable]]:
        return [
            (variable, name, slot)
            for variable in self._kept
            for name, slot in self._slots.get(getattr(variable, "_id", 0), {}).items()
        ]

    def variables(self) -> list[Variable]:
        """All slots."""
        slots_of_variables = self._graph_slots or self._slots
        return [
            *self._graph_shared.values(),
            *(slot for slots in slots_of_variables.values() for slot in slots.values()),
        ]


class _Rows:
    """Some rows of a variable, for update rules.

    Args:
        variable: the variable.
        rows: their indices, each once.
    """

    def __init__(self, variable: Any, rows: Any) -> None:
        self._variable = variable
        self._rows = rows
        self.dtype = variable.dtype

    def read_value(self) -> _core.Tensor:
        return _ops.gather(self._variable, self._rows, axis=0, batch_dims=0)

    def assign(self, value: Any) -> None:
        self._variable.scatter_update(IndexedSlices(value, self._rows))

    def assign_add(self, delta: Any) -> None:
        self._variable.scatter_add(IndexedSlices(delta, self._rows))

    def assign_sub(self, delta: Any) -> None:
        self._variable.scatter_sub(IndexedSlices(delta, self._rows))

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        return self.read_value()

    def __add__(self, other: TensorLike) -> _core.Tensor:
        return self.read_value() + other

    def __sub__(self, other: TensorLike) -> _core.Tensor:
        return self.read_value() - other

    def __mul__(self, other: TensorLike) -> _core.Tensor:
        return self.read_value() * other


class GradientDescentOptimizer(Optimizer):
    """Gradient descent: `v -= rate * g`.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        use_locking: accepted.
        name: the optimizer's name.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     step = tf.compat.v1.train.GradientDescentOptimizer(0.5).minimize(v * v)
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(step)
    ...     float(session.run(v))
    0.0
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _apply(self, gradient: Any, variable: Any) -> None:
        self._dtype = variable.dtype
        rate = self._number(self._learning_rate)
        if isinstance(gradient, IndexedSlices):
            variable.scatter_sub(IndexedSlices(gradient.values * rate, gradient.indices))
        else:
            _core.gradient_descent_update([variable], [gradient], learning_rate=rate)


class MomentumOptimizer(Optimizer):
    """Momentum: `m = momentum * m + g`, `v -= rate * m`.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        momentum: the decay of the accumulated gradients.
        use_locking: accepted.
        name: the optimizer's name.
        use_nesterov: whether to look ahead: `v -= rate * (g + momentum * m)`.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _initial_slots(self) -> dict[str, float]:
        return {"momentum": 0.0}

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        rate, momentum = self._number(self._learning_rate), self._number(self._momentum)
        accumulated = slots["momentum"]
        accumulated.assign(accumulated * momentum + gradient)
        if self._use_nesterov:
            variable.assign_sub((gradient + accumulated * momentum) * rate)
        else:
            variable.assign_sub(accumulated * rate)


class AdamOptimizer(Optimizer):
    """Adam (Kingma and Ba, ICLR 2015), with epsilon added to the uncorrected second moment.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        beta1: how much of the first moment stays.
        beta2: how much of the second moment stays.
        epsilon: keeps the denominator from zero.
        use_locking: accepted.
        name: the optimizer's name.
    """

    _changes_all_rows = True

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        # Keyed by the first variable of a step, as each session has its own variables.
        self._powers: dict[int, list[Variable]] = {}
        self._current: list[Variable] = []

    def _initial_slots(self) -> dict[str, float]:
        return {"m": 0.0, "v": 0.0}

    def _begin(self, variables: list[Any]) -> None:
        key = variables[0]._id
        if key not in self._powers:
            self._powers[key] = [
                Variable(self._number(beta), trainable=False, name=name)
                for beta, name in ((self._beta1, "beta1_power"), (self._beta2, "beta2_power"))
            ]
        self._current = self._powers[key]

    def _shared_values(self) -> dict[str, float]:
        return {"beta1_power": self._number(self._beta1), "beta2_power": self._number(self._beta2)}

    def _use(self, variables: list[Any], shared: dict[str, Any], slots: list[dict]) -> None:
        super()._use(variables, shared, slots)
        self._powers = {variables[0]._id: [shared["beta1_power"], shared["beta2_power"]]}

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        beta1, beta2 = self._number(self._beta1), self._number(self._beta2)
        power1, power2 = (self._number(power) for power in self._current)
        rate = self._number(self._learning_rate) * (1 - power2) ** 0.5 / (1 - power1)
        first, second = slots["m"], slots["v"]
        # Rounded to the dtype of the variables.
        share1, share2 = (
            _ops.subtract(1.0, _core.convert(b, first.dtype, None)) for b in (beta1, beta2)
        )
        first.assign(first * beta1 + gradient * share1)
        second.assign(second * beta2 + gradient * gradient * share2)
        variable.assign_sub(first * rate / (_ops.sqrt(second) + self._number(self._epsilon)))

    def _finish(self) -> None:
        for power, beta in zip(self._current, (self._beta1, self._beta2), strict=True):
            power.assign(power * self._number(beta))

    def _checkpoint_children(self) -> dict[str, Variable]:
        return dict(zip(("beta1_power", "beta2_power"), self._current, strict=False))

    def variables(self) -> list[Variable]:
        """The powers of the betas, and all slots."""
        found = [*self._current, *super().variables()]
        return list({id(variable): variable for variable in found}.values())


class AdagradOptimizer(Optimizer):
    """Adagrad (Duchi et al., JMLR 2011): `a += g * g`, `v -= rate * g / sqrt(a)`.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        initial_accumulator_value: what the accumulators hold at first; positive.
        use_locking: accepted.
        name: the optimizer's name.

    Raises:
        ValueError: if the accumulators' value is not positive.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _initial_slots(self) -> dict[str, float]:
        return {"accumulator": self._initial_accumulator_value}

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        accumulator = slots["accumulator"]
        accumulator.assign_add(gradient * gradient)
        variable.assign_sub(gradient * self._number(self._learning_rate) / _ops.sqrt(accumulator))


class AdadeltaOptimizer(Optimizer):
    """Adadelta (Zeiler, arXiv 1212.5701).

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        rho: the decay of the averages.
        epsilon: keeps quotients finite.
        use_locking: accepted.
        name: the optimizer's name.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike] = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _initial_slots(self) -> dict[str, float]:
        return {"accum": 0.0, "accum_update": 0.0}

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        rho, epsilon = self._number(self._rho), self._number(self._epsilon)
        squares, updates = slots["accum"], slots["accum_update"]
        squares.assign(squares * rho + gradient * gradient * (1 - rho))
        update = _ops.sqrt(updates + epsilon) / _ops.sqrt(squares + epsilon) * gradient
        updates.assign(updates * rho + update * update * (1 - rho))
        variable.assign_sub(update * self._number(self._learning_rate))


class RMSPropOptimizer(Optimizer):
    """RMSProp (Hinton's lecture 6e): the gradient over the root of its squares' average.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        decay: the decay of the average.
        momentum: the decay of the accumulated steps.
        epsilon: keeps the denominator from zero.
        use_locking: accepted.
        centered: whether to subtract the square of the average gradient.
        name: the optimizer's name.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered

    def _initial_slots(self) -> dict[str, float]:
        return {"rms": 1.0} | ({"mg": 0.0} if self._centered else {}) | {"momentum": 0.0}

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        decay = self._number(self._decay)
        squares, steps = slots["rms"], slots["momentum"]
        squares.assign(squares * decay + gradient * gradient * (1 - decay))
        denominator = squares + self._number(self._epsilon)
        if self._centered:
            means = slots["mg"]
            means.assign(means * decay + gradient * (1 - decay))
            denominator = denominator - means * means
        step = gradient * self._number(self._learning_rate) / _ops.sqrt(denominator)
        steps.assign(steps * self._number(self._momentum) + step)
        variable.assign_sub(steps)


class FtrlOptimizer(Optimizer):
    """Follow the regularized leader (McMahan et al., KDD 2013).

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        learning_rate_power: at most 0; how the rate falls with the squares of gradients.
        initial_accumulator_value: what the accumulators hold at first; not negative.
        l1_regularization_strength: not negative.
        l2_regularization_strength: not negative.
        use_locking: accepted.
        name: the optimizer's name.
        accum_name: accepted.
        linear_name: accepted.
        l2_shrinkage_regularization_strength: not negative; shrinks the gradient's variable only.
        beta: is added to the root of the accumulators.

    Raises:
        ValueError: for a value that is out of its range.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        checks = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for argument, value in checks.items():
            if value < 0.0:
                raise ValueError(f"{argument} {value} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power} needs to be negative or zero"
            )
        self._learning_rate = learning_rate
        self._power = learning_rate_power
        self._initial = initial_accumulator_value
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength
        self._shrinkage = l2_shrinkage_regularization_strength
        self._beta = beta or 0.0

    def _initial_slots(self) -> dict[str, float]:
        return {"accum": self._initial, "linear": 0.0}

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        rate = self._number(self._learning_rate)
        accumulator, linear = slots["accum"], slots["linear"]
        value = variable.read_value()
        shrunk = gradient + value * (2 * self._shrinkage)
        new = accumulator + gradient * gradient
        old_power = _ops.pow(accumulator, -self._power)
        new_power = _ops.pow(new, -self._power)
        linear.assign_add(shrunk - (new_power - old_power) / rate * value)
        accumulator.assign(new)
        l2 = self._l2 + self._beta / (2 * rate)
        quadratic = new_power / rate + 2 * l2
        clipped = _ops.clip_by_value(linear, -self._l1, self._l1)
        variable.assign((clipped - linear) / quadratic)


class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent, and then the proximal step of L1 and L2 regularization.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        l1_regularization_strength: not negative.
        l2_regularization_strength: not negative.
        use_locking: accepted.
        name: the optimizer's name.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        rate = self._number(self._learning_rate)
        variable.assign(_proximal_step(variable, gradient, rate, self._l1, self._l2))


class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad, and then the proximal step of L1 and L2 regularization (Duchi and Singer, JMLR 2009).

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        initial_accumulator_value: what the accumulators hold at first; positive.
        l1_regularization_strength: not negative.
        l2_regularization_strength: not negative.
        use_locking: accepted.
        name: the optimizer's name.

    Raises:
        ValueError: if the accumulators' value is not positive.
    """

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._l1 = l1_regularization_strength
        self._l2 = l2_regularization_strength

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        accumulator = slots["accumulator"]
        accumulator.assign_add(gradient * gradient)
        rate = self._number(self._learning_rate) / _ops.sqrt(accumulator)
        variable.assign(_proximal_step(variable, gradient, rate, self._l1, self._l2))


class AdagradDAOptimizer(Optimizer):
    """Adagrad by dual averaging (Duchi, Hazan and Singer, JMLR 2011), for sparse linear models.

    Args:
        learning_rate: a number, a tensor, or a function that returns one.
        global_step: the step's variable, which scales the regularization.
        initial_gradient_squared_accumulator_value: what the accumulators hold at first; positive.
        l1_regularization_strength: not negative.
        l2_regularization_strength: not negative.
        use_locking: accepted.
        name: the optimizer's name.

    Raises:
        ValueError: if the accumulators' value is not positive.
    """

    _changes_all_rows = True

    def __init__(
        self,
        learning_rate: TensorLike | Callable[[], TensorLike],
        global_step: TensorLike,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step = learning_rate, global_step
        self._initial = initial_gradient_squared_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _initial_slots(self) -> dict[str, float]:
        return {"gradient_accumulator": 0.0, "gradient_squared_accumulator": self._initial}

    def _update(self, variable: Any, gradient: _core.Tensor, slots: dict[str, Variable]) -> None:
        sums, squares = slots["gradient_accumulator"], slots["gradient_squared_accumulator"]
        sums.assign_add(gradient)
        squares.assign_add(gradient * gradient)
        step = _ops.cast(_core.as_tensor(self._global_step), variable.dtype) + 1
        rate = self._number(self._learning_rate)
        total = sums.read_value()
        if self._l1:
            total = _ops.sign(total) * _ops.maximum(_ops.abs(total) - step * self._l1, 0.0)
        variable.assign(-rate * total / (step * self._l2 * rate + _ops.sqrt(squares)))


def _proximal_step(variable: Any, gradient: Any, rate: Any, l1: float, l2: float) -> Any:
    """A step down the gradient, shrunk towards zero by the L1 and L2 regularization."""
    moved = variable - gradient * rate
    if l1:
        moved = _ops.sign(moved) * _ops.maximum(_ops.abs(moved) - rate * l1, 0.0)
    return moved / (1.0 + rate * l2)
