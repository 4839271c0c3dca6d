"""What all optimizers share: the learning rate, slots, clipping and `apply_gradients`."""

from __future__ import annotations

import functools
import itertools
import operator
import re
from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, TypeVar

from eagerflow import _core
from eagerflow.autodiff.tape import GradientTape
from eagerflow.config.devices import list_physical_devices
from eagerflow.framework import distribution_state, dtypes
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.trackable import Trackable
from eagerflow.framework.variable import Variable, variable_at_once
from eagerflow.keras.config import float_dtype
from eagerflow.keras.optimizers import accumulation, clipping, scalars, updates
from eagerflow.keras.optimizers.keras2_hooks import CallableList, Keras2Hooks, Slots, summed_rows
from eagerflow.keras.optimizers.keras3_hooks import Keras3Hooks
from eagerflow.keras.optimizers.learning_rate import HasLearningRate
from eagerflow.keras.optimizers.stored_variables import StoredVariables
from eagerflow.keras.optimizers.update_hooks import UpdateHooks
from eagerflow.keras.saving.init_arguments import arguments_config
from eagerflow.keras.typing import Config, CustomObjects, InitializerLike
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy, own_code
from eagerflow.util.advice import ListsOwnAttributes
from eagerflow.util.argument_docs import complete_docs
from eagerflow.util.program_warnings import warn

# Imported when they are first used: few programs need them.
hints = lazy.Module("eagerflow.util.hints")
initializers = lazy.Module("eagerflow.keras.initializers")
schedules = lazy.Module("eagerflow.keras.optimizers.schedules")

_ops = _core.ops
Tensor = _core.Tensor
Rule = TypeVar("Rule", bound=Callable[..., None])


class OptimizerType(ListsOwnAttributes, ABCMeta):
    # The type of optimizer classes: legacy optimizers are not instances of the new `Optimizer`.
    # A docstring here would hide those of the classes from `help`.
    __doc__ = type.__dict__["__doc__"]

    _is_legacy: bool

    def __instancecheck__(cls, instance: Any) -> bool:
        if not super().__instancecheck__(instance):
            return False
        return cls._is_legacy or not type(instance)._is_legacy


def is_optimizer(value: object) -> bool:
    """Whether an object is an optimizer, legacy or not."""
    return isinstance(type(value), OptimizerType)


class Optimizer(
    HasLearningRate,
    StoredVariables,
    UpdateHooks,
    Keras3Hooks,
    Trackable,
    metaclass=OptimizerType,
):
    """Base class of the optimizers.

    A user-defined subclass makes its variables in `build` with `add_variable_from_reference` and
    defines `update_step`, or, in the style of TensorFlow 2.0 to 2.10, makes slots in
    `_create_slots` and defines `_resource_apply_dense`.

    Args:
        name: the optimizer's name.
        weight_decay: the fraction of each variable that is subtracted at every step, times the
            learning rate.
        clipnorm: the largest norm of each gradient.
        clipvalue: the largest absolute value of an element of a gradient.
        global_clipnorm: the largest norm of all gradients together.
        use_ema: whether to keep exponential moving averages of the variables.
        ema_momentum: the weight of the old average in the new one.
        ema_overwrite_frequency: the number of steps between assignments of the averages to the
            variables; None: only in `finalize_variable_values`.
        jit_compile: whether updates are compiled; always False without a GPU.
        learning_rate: a number, a `tf.Variable`, a schedule, or a function that returns one.
        **kwargs: `gradient_accumulation_steps=n` lets each n-th call of `apply_gradients` update the
            variables by the mean of n gradients, which is that of one batch of the size of n. Calls
            before it change nothing; `iterations`, schedules and moving averages count updates.
            `lr` is ignored with a warning.

    Raises:
        ValueError: for clipping thresholds that contradict each other or are negative, for an
            `ema_momentum` that is not in [0, 1], and for arguments that only the optimizers of
            `tf.keras.optimizers.legacy` have.
        TypeError: for an argument that does not exist.

    >>> class Plain(tf.keras.optimizers.Optimizer):
    ...     def __init__(self, learning_rate=0.1, name="Plain", **kwargs):
    ...         super().__init__(name=name, **kwargs)
    ...         self._learning_rate = self._build_learning_rate(learning_rate)
    ...
    ...     def update_step(self, gradient, variable):
    ...         variable.assign_sub(self.learning_rate * gradient)
    >>> v = tf.Variable(1.0)
    >>> _ = Plain().minimize(lambda: v * v, [v])
    >>> print(v.numpy())
    0.8
    """

    _is_legacy = False  # legacy optimizers have neither weight decay nor averages
    _unsaved_arguments: Set[str] = frozenset({"learning_rate"})
    _has_complex = False  # whether a variable is complex
    _has_other_decay = False  # whether weights decay also where `weight_decay` is none
    _rules = updates.REAL  # the rules for the dtype of the updated variables

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete_docs(cls)

    def __init__(
        self,
        name: str,
        weight_decay: float | None = 0,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        **kwargs: Any,
    ) -> None:
        self._every = accumulation.checked_steps(kwargs.pop("gradient_accumulation_steps", None))
        self.gradient_accumulation_steps = self._every  # a subclass may have its own by this name
        rate = self._rate_argument(kwargs)
        clipping.check_thresholds(clipnorm, clipvalue, global_clipnorm)
        if use_ema and not 0 <= ema_momentum <= 1:
            raise ValueError(
                f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={ema_momentum}"
            )
        if (
            use_ema
            and ema_overwrite_frequency
            and (not isinstance(ema_overwrite_frequency, int) or ema_overwrite_frequency < 1)
        ):
            raise ValueError(
                "`ema_overwrite_frequency` must be an integer > 1 or None. Received: "
                f"ema_overwrite_frequency={ema_overwrite_frequency}"
            )
        self.name = name
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.use_ema = use_ema
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.jit_compile = jit_compile and bool(list_physical_devices("GPU"))
        self._built = False
        self._was_built = False
        self._one = _core.convert(1, dtypes.int64)  # the increment of `iterations`
        self._variables: list[Variable] = []
        self._start_counting()
        if self._every:
            self._calls = accumulation.counter()
            self._variables.append(self._calls)
        self._index_dict: dict[int, int] = {}
        self._slots: dict[int, Slots] = {}
        self._averages: dict[int, Variable] = {}
        self._models: dict[int, Variable] = {}  # keeps the identities above in use
        self._constrained: dict[int, Variable] = {}
        self._not_decayed: set[int] = set()
        self._not_decayed_names: list[str] = []
        if rate is not None:
            self._set_rate(rate)

    def _rate_argument(self, kwargs: dict[str, object]) -> Any:
        """The learning rate among the keyword arguments; None if it is absent."""
        rate = kwargs.pop("learning_rate", None)
        self._process_kwargs(kwargs)
        return rate

    def _clipped(self, gradients: list) -> list:
        return clipping.clipped(gradients, self.clipnorm, self.clipvalue, self.global_clipnorm)

    def _start_counting(self) -> None:
        """Makes the variable that counts the steps."""
        self._iterations = variable_at_once(
            0, dtype=dtypes.int64, trainable=False, name="iteration"
        )
        self._variables.append(self._iterations)

    @property
    def iterations(self) -> Variable:
        """The number of steps so far: an int64 variable."""
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        if self._was_built:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been "
                f"created. Here it is attempting to set `iterations` to {variable}. Please set "
                "`iterations` before calling `apply_gradients()`."
            )
        self._variables[0] = self._iterations = variable
        if isinstance(variable, Variable):
            self._one = _core.convert(1, variable.dtype)

    def _step(self) -> Any:
        """The number of the current step, from 1 on: an integer, or a scalar of a graph."""
        if _core.building() is None:
            return int(self._iterations) + 1
        return scalars.number(self._iterations) + 1

    @property
    def variables(self) -> CallableList:
        """The optimizer's own variables: the iteration, then all slots."""
        return CallableList(self._variables)

    def build(self, var_list: Iterable[Variable]) -> None:
        """Makes the optimizer's variables for the model's; `apply_gradients` calls this."""
        var_list = list(var_list)
        self._build_index_dict(var_list)
        self._make_slots([v for v in var_list if v._id not in self._models])
        self._was_built = True
        # A subclass's `build` calls this one first, and sets `_built` when its own part is done.
        self._built |= type(self).build is Optimizer.build

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies have variables of their own, which have other identities."""
        self.__dict__.update(state)
        if "_models" not in state:  # An optimizer that only wraps another has no such tables.
            return
        now = {old: variable._id for old, variable in self._models.items()}
        for name in ("_index_dict", "_slots", "_averages", "_models", "_constrained"):
            setattr(self, name, {now[old]: value for old, value in state[name].items()})
        self._not_decayed = {now.get(old, old) for old in self._not_decayed}

    def _var_key(self, variable: Variable) -> int:
        """The key of a variable in `_index_dict`."""
        return variable._id

    def add_variable(
        self,
        shape: ShapeLike | None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike = "zeros",
        name: str | None = None,
    ) -> Variable:
        """Makes a variable of the optimizer.

        Args:
            shape: its shape.
            dtype: by default Keras's float type.
            initializer: an initializer or its name.
            name: its name.
        """
        initial = initializers.get(initializer)(shape or [], dtype=float_dtype(dtype))
        variable = Variable(initial, trainable=False, name=name)
        return self._keep(variable)

    def add_variable_from_reference(
        self,
        model_variable: Variable,
        variable_name: str,
        shape: ShapeLike | None = None,
        initial_value: TensorLike | None = None,
    ) -> Variable:
        """Makes a variable of the optimizer for a variable of the model.

        Args:
            model_variable: determines dtype, shape and the second part of the name.
            variable_name: the first part of the name.
            shape: the shape, if it differs from that of `model_variable`.
            initial_value: zeros by default.
        """
        if initial_value is None:
            sizes = model_variable.shape if shape is None else shape
            initial_value = _ops.zeros(sizes, model_variable.dtype)
        elif isinstance(initial_value, Variable):
            initial_value = initial_value.read_value()
        variable = Variable(
            initial_value,
            trainable=False,
            name=self._name_of_slot(model_variable, variable_name),
            dtype=model_variable.dtype,
        )
        return self._keep(variable)

    def _keep(self, variable: Variable) -> Variable:
        """Lists a variable, and gives it the value that a checkpoint had for it."""
        self._variables.append(variable)
        self._settle_restorations()
        return variable

    def _name_of_slot(self, variable: Variable, slot: str) -> str:
        return f"{slot}/{variable._name}"

    def minimize(
        self,
        loss: Any,
        var_list: Any,
        tape: GradientTape | None = None,
        grad_loss: Any = None,
        name: str | None = None,
    ) -> Variable:
        """Computes the gradients of a loss and applies them.

        Args:
            loss: a function without arguments that returns the loss, or, with `tape`, the loss.
            var_list: the variables to update, or a function that returns them.
            tape: the tape that recorded a loss that is a tensor.
            grad_loss: a factor of the gradients.

        Returns:
            The `iterations`, incremented by one.

        Raises:
            ValueError: if `loss` is a tensor and there is no tape.
        """
        if tape is None and callable(loss):
            tape = GradientTape()
        strategies = distribution_state.state.strategies
        if strategies and tape is not None and self._applies_sums():
            summing = strategies[-1].extended._summing(tape)
            if summing is not None:
                pairs = self._compute_gradients(loss, var_list, grad_loss, summing)
                return self.apply_gradients(pairs, skip_gradients_aggregation=True)
        if type(self)._compute_gradients is not Keras2Hooks._compute_gradients:
            return self.apply_gradients(self._compute_gradients(loss, var_list, grad_loss, tape))
        return self.apply_gradients(self.compute_gradients(loss, var_list, tape, grad_loss))

    def _applies_sums(self) -> bool:
        """Whether gradients are summed over replicas before they are clipped and applied."""
        kind = type(self)
        return (
            kind.apply_gradients is Optimizer.apply_gradients
            and kind.aggregate_gradients is Optimizer.aggregate_gradients
            and kind.compute_gradients is Optimizer.compute_gradients
            and kind._compute_gradients is Keras2Hooks._compute_gradients
        )

    def compute_gradients(
        self, loss: Any, var_list: Any, tape: GradientTape | None = None, grad_loss: Any = None
    ) -> list[tuple[Any, Variable]]:
        """Computes pairs of gradients and variables; for the arguments see `minimize`."""
        if callable(loss):
            tape = tape or GradientTape()
            with tape:
                if not callable(var_list):
                    tape.watch(var_list)
                loss = loss()
        elif tape is None:
            raise ValueError("`tape` is required when a `Tensor` loss is passed.")
        variables = list(var_list() if callable(var_list) else var_list)
        gradients = tape.gradient(loss, variables, grad_loss)
        return list(zip(gradients, variables, strict=True))

    def aggregate_gradients(self, grads_and_vars: Any) -> Any:
        """The sums of all replicas' gradients, with their variables.

        Args:
            grads_and_vars: pairs of this replica's gradient, which may be None, and a variable.

        Raises:
            RuntimeError: outside of replicas, under a strategy that has several.
        """
        if distribution_state.num_replicas() == 1:
            return grads_and_vars
        context = distribution_state.replica_context()
        if context is None:
            raise RuntimeError(
                "Gradients are applied in replicas: call `apply_gradients` in a function that "
                "`tf.distribute.Strategy.run` runs."
            )
        pairs = list(grads_and_vars)
        given = [gradient for gradient, _ in pairs if gradient is not None]
        summed = iter(context.all_reduce("SUM", given))
        return [(None if g is None else next(summed), variable) for g, variable in pairs]

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Variable]],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        **kwargs: Any,
    ) -> Variable:
        """Updates variables from their gradients, in place.

        Args:
            grads_and_vars: pairs of a gradient (a tensor, a `tf.IndexedSlices`, or None, which
                leaves the variable unchanged) and its variable.
            name: the prefix of the names of the optimizer's variables; by default the
                optimizer's name.
            skip_gradients_aggregation: whether replicas apply their own gradients; by default, all
                apply the sum.
            **kwargs: `experimental_aggregate_gradients=False` is the same by its older name.

        Returns:
            The `iterations`, incremented by one if the variables were updated.

        Raises:
            ValueError: if all gradients are None.
            tf.errors.InvalidArgumentError: if the shape or dtype of a gradient differs from its
                variable's. No variable is changed then.

        >>> v = tf.Variable([1.0, 2.0])
        >>> optimizer = tf.optimizers.SGD(0.5)
        >>> _ = optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
        >>> print(v.numpy().round(4))
        [0.5 1.5]
        """
        if not self._was_built:
            grads_and_vars = list(grads_and_vars)
            if not grads_and_vars:
                return self._iterations
            with eagerly(), name_scope(name or self.name or "optimizer"):
                self.build([variable for _, variable in grads_and_vars])
            self._was_built = True
        distributed = bool(distribution_state.state.strategies)
        if distributed and not skip_gradients_aggregation:
            if kwargs.get("experimental_aggregate_gradients", True):
                grads_and_vars = self.aggregate_gradients(grads_and_vars)
        gradients = []
        variables = []
        slots = []
        missing = []
        sparse = False
        known = self._slots
        for gradient, variable in grads_and_vars:
            if gradient is None:
                missing.append(variable.name)
                continue
            if not isinstance(gradient, _core.Tensor):
                if isinstance(gradient, IndexedSlices):
                    sparse = True
                else:
                    gradient = _core.convert(gradient, None, variable.dtype)
            gradients.append(gradient)
            variables.append(variable)
            entry = known.get(variable._id)
            slots.append(self._slots_of(variable) if entry is None else entry)
        if not gradients:
            if not missing:
                return self._iterations
            raise ValueError(
                f"No gradients provided for any variable: {missing}. {hints.NO_GRADIENT}"
            )
        if missing:
            warn(
                f"Gradients do not exist for variables {missing} when minimizing the loss. If you're using "
                f"`model.compile()`, did you forget to provide a `loss` argument? {hints.NO_GRADIENT}"
            )
        counts = not distributed or self._counts_steps()
        if self._every:
            accumulation.accumulate(
                self._calls,
                self._every,
                slots_named(slots, accumulation.SLOT),
                gradients,
                lambda means: self._apply(variables, means, slots, False, counts),
                lambda: counts and self._calls.assign_add(self._one),
            )
        else:
            self._apply(variables, gradients, slots, sparse, counts)
        return self._iterations

    def _apply(
        self,
        variables: list[Variable],
        gradients: list,
        slots: list[Slots],
        sparse: bool,
        counts: bool,
    ) -> None:
        """Updates variables by their gradients, after these were summed over replicas.

        Args:
            variables: the variables.
            gradients: their gradients.
            slots: their slots.
            sparse: whether there are `tf.IndexedSlices` among the gradients.
            counts: whether the update is counted here, and not by another replica.
        """
        if self._has_update_hooks:
            self._apply_by_hooks(variables, gradients)
            return
        thresholds = (self.clipnorm, self.clipvalue, self.global_clipnorm)
        if thresholds != (None, None, None):  # legacy optimizers clip to 0
            gradients = self._clipped(gradients)
        if sparse and not self._overrides_rule:
            gradients = [
                self._summed(g, v) if isinstance(g, IndexedSlices) else g
                for g, v in zip(gradients, variables, strict=True)
            ]
        rate = self._current_rate()
        if (self.weight_decay and not self._is_legacy) or self._has_other_decay:
            self._decay_weights(variables, rate)
        if self._overrides_rule:
            self._update_by_resource(variables, gradients)
        elif self._has_complex:
            self._update_by_kind(variables, gradients, slots, rate)
        else:
            self._update(variables, gradients, slots, rate)
        if counts:
            self._iterations.assign_add(self._one)
        if self.use_ema and not self._is_legacy:
            self._update_averages(variables)
        if self._constrained:
            self._constrain(variables)

    def _constrain(self, variables: list[Variable]) -> None:
        """Applies the constraints of the variables that have one."""
        for variable in variables:
            if variable._id in self._constrained:
                variable.assign(variable.constraint(variable))  # type: ignore[misc]

    def _counts_steps(self) -> bool:
        """Whether this replica counts its step: the last one does if all share the counter."""
        context = distribution_state.replica_context()
        if context is None or getattr(self._iterations, "distribute_strategy", None) is not None:
            return True
        return context._local_id == len(context.strategy.extended._contexts()) - 1

    def _summed(self, gradient: IndexedSlices, variable: Variable) -> Any:
        """A sparse gradient as a tensor, or as (indices, values, True) if the rule accepts them."""
        sparse = self._sparse(gradient)
        if sparse is not None:
            return sparse
        if getattr(type(self)._update, "takes_rows", False):
            return gradient.indices, gradient.values, True
        return _ops.unsorted_segment_sum(
            gradient.values, gradient.indices, num_segments=variable.shape[0]
        )

    def _has_own_rule(self) -> bool:
        """Whether the class updates several variables in one call, as Keras's classes do."""
        return type(self)._update is not Optimizer._update

    @functools.cached_property
    def _overrides_rule(self) -> bool:
        """Whether a subclass has hooks around the rule of Keras's class, which they call by `super()`."""
        rows = "_resource_apply_sparse"
        hooks = {"_resource_apply_dense", rows, f"{rows}_duplicate_indices"}
        kinds = itertools.takewhile(lambda kind: "_update" not in vars(kind), type(self).__mro__)
        return self._has_own_rule() and any(hooks & vars(kind).keys() for kind in kinds)

    def _sparse(self, gradient: IndexedSlices) -> Any:
        """Indices and values if the update skips rows without a gradient, else None."""
        if not self._has_own_rule():
            # A user-defined rule gets each row once.
            rows, values = summed_rows(gradient)
            return IndexedSlices(values, rows, gradient.dense_shape)
        return None

    def exclude_from_weight_decay(
        self, var_list: Iterable[Variable] | None = None, var_names: list[str] | None = None
    ) -> None:
        """Excludes variables from the weight decay.

        Args:
            var_list: the variables.
            var_names: regular expressions that are searched for in the variables' names.

        Raises:
            ValueError: if the optimizer has been built.
        """
        if self._was_built:
            raise ValueError(
                "`exclude_from_weight_decay()` can only be configued before the optimizer is built."
            )
        self._not_decayed = {variable._id for variable in var_list or ()}
        self._not_decayed_names = list(var_names or ())

    def _decay_weights(self, variables: list[Variable], rate: Any) -> None:
        """Applies the weight decay to the variables that are not excluded from it."""
        decayed = [v for v in variables if self._use_weight_decay(v)]
        _core.decay_weights(decayed, rate=self.weight_decay * rate)

    def _use_weight_decay(self, variable: Variable) -> bool:
        if variable._id in self._not_decayed:
            return False
        return not any(re.search(name, variable.name) for name in self._not_decayed_names)

    def _slots_of(self, variable: Variable) -> Slots:
        """The slots of a variable, which `build` has made."""
        if variable._id not in self._models:
            kind = type(self)
            if (
                kind.update_step is not Optimizer.update_step
                or kind._update is not Optimizer._update
            ):
                raise KeyError(
                    f"The optimizer cannot recognize variable {variable.name}. This usually means "
                    "you are trying to call the optimizer to update different parts of the model "
                    "separately. Please call `optimizer.build(variables)` with the full list of "
                    "trainable variables before the training loop or use legacy optimizer "
                    f"`tf.keras.optimizers.legacy.{kind.__name__}.`"
                )
            self._add_slots(variable)
        return self._slots.setdefault(variable._id, {})

    def _add_slots(self, variable: Variable) -> None:
        with eagerly():
            self._make_slots([variable])

    def _make_slots(self, variables: list[Variable]) -> None:
        """Makes the slots of variables, in the order in which Keras lists them."""
        for variable in variables:
            self._models[variable._id] = variable
            self._has_complex |= variable.dtype.is_complex
            if getattr(variable, "_constraint", None) is not None:
                self._constrained[variable._id] = variable
            if self.use_ema and not self._is_legacy:
                self._averages[variable._id] = self.add_variable_from_reference(
                    variable, "average", initial_value=variable
                )
        values = self._initial_slots()
        groups = self._slot_groups(tuple(values))
        if self._every:
            values, groups = {**values, accumulation.SLOT: 0.0}, [*groups, (accumulation.SLOT,)]
        # Slots share the memory of their initial value until the first write, which may never come.
        initial_values: dict[Any, Tensor] = {}
        for names in groups:
            for variable in variables:
                slots = self._slots.setdefault(variable._id, {})
                for name in names:
                    key = (values[name], variable.dtype, tuple(variable.shape))
                    initial = initial_values.get(key)
                    if values[name] is None:
                        initial = variable.read_value()
                    elif initial is None:
                        value = _core.convert(values[name], variable.dtype)
                        initial = initial_values[key] = _ops.fill(value, variable.shape)
                    slots[name] = self.add_variable_from_reference(
                        variable, name, initial_value=initial
                    )
        self._settle_restorations()

    def _settle_restorations(self) -> None:
        """Restores new variables whose values a checkpoint held."""
        if "_pending_restorations" in self.__dict__:
            self.__dict__["_pending_restorations"].settle(self)

    def _checkpoint_children(self) -> dict[str, Any]:
        own = {"_variables": self._variables, "_iterations": self._iterations}
        return {**own, **self._saved_rate()}

    def _refuse_slots(self) -> None:
        """Raises a ValueError for a checkpoint of a legacy optimizer."""
        raise ValueError(
            "You are trying to restore a checkpoint from a legacy TF-Keras optimizer into a v2.11+ "
            "Optimizer, which can cause errors. Please update the optimizer referenced in your code "
            "to be an instance of `tf.keras.optimizers.legacy.Optimizer`, e.g.: "
            f"`tf.keras.optimizers.legacy.{type(self).__name__}`."
        )

    def _initial_slots(self) -> Mapping[str, float | None]:
        """The names of each variable's slots, and their initial values: None is the variable's own."""
        return {}

    def _slot_groups(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Slots that are made together; each group is made for all variables before the next."""
        return [names]

    def _update(
        self, variables: list[Variable], gradients: list, slots: list[Slots], learning_rate: object
    ) -> None:
        """Updates all variables by the rule of a user-defined subclass."""
        kind = type(self)
        if kind.update_step is Optimizer.update_step:
            self._update_by_resource(variables, gradients)
            return
        for gradient, variable in zip(gradients, variables, strict=True):
            self.update_step(gradient, variable)

    def _update_by_kind(
        self, variables: list[Variable], gradients: list, slots: list[Slots], rate: object
    ) -> None:
        """One step for the real variables, and one for the complex ones."""
        rows = list(zip(variables, gradients, slots, strict=True))
        for is_complex in (False, True):
            chosen = [row for row in rows if row[0].dtype.is_complex == is_complex]
            if not chosen:
                continue
            own, given, kept = (list(column) for column in zip(*chosen, strict=True))
            if not is_complex:
                self._update(own, given, kept, rate)
                continue
            given = [_dense(g, v) for g, v in zip(given, own, strict=True)]
            self.__dict__["_rules"] = updates.COMPLEX
            try:
                self._update(own, given, kept, rate)
            finally:
                del self.__dict__["_rules"]

    def _update_averages(self, variables: list[Variable]) -> None:
        averages = [self._averages[variable._id] for variable in variables]
        values = [variable.read_value() for variable in variables]
        _core.update_averages(averages, values, momentum=self.ema_momentum)
        frequency = self.ema_overwrite_frequency
        if not frequency:
            return
        if _core.building() is None:
            if int(self._iterations) % frequency == 0:
                self.finalize_variable_values(variables)
            return
        is_time = _ops.equal(_ops.floormod(self._iterations, frequency), 0)
        for variable, average in zip(variables, averages, strict=True):
            variable.assign(_ops.select(is_time, average, variable))

    def finalize_variable_values(self, var_list: Iterable[Variable]) -> None:
        """Assigns the moving averages to their variables, if there are averages."""
        for variable in var_list:
            average = self._averages.get(variable._id)
            if average is not None:
                variable.assign(average.read_value())

    def get_config(self) -> Config:
        """The arguments that make an optimizer like this one."""
        config: dict[str, Any] = {
            "name": self.name,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "jit_compile": self.jit_compile,
            "is_legacy_optimizer": False,
        }
        if any(own_code.is_own(base.__module__) for base in _rules(type(self))):
            config["learning_rate"] = self._serialize_hyperparameter(self._learning_rate)
        config |= arguments_config(self, Optimizer)
        if self._decay:
            config["decay"] = self._decay
        if self._every:
            config["gradient_accumulation_steps"] = self._every
        return config

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """An optimizer from what `get_config` returned."""
        config = dict(config)
        if "lr" in config:
            config["learning_rate"] = config.pop("lr")
        if isinstance(config.get("learning_rate"), dict):
            config["learning_rate"] = schedules.deserialize(
                config["learning_rate"], custom_objects=custom_objects
            )
        return cls(**config)


def takes_rows(update: Rule) -> Rule:
    """Marks an update rule that takes sparse gradients, as (indices, values, True).

    Rows that have no gradient are updated by a gradient of zero, as Keras does it.
    """
    update.takes_rows = True  # type: ignore[attr-defined]
    return update


def _dense(gradient: object, variable: Variable) -> Any:
    """Converts sparse gradients to dense tensors."""
    if not isinstance(gradient, tuple):
        return gradient
    indices, values = gradient[:2]
    return _ops.unsorted_segment_sum(values, indices, num_segments=variable.shape[0])


def _rules(kind: type) -> list[type]:
    """The classes of an optimizer that have an update rule."""
    return [
        base for base in kind.__mro__ if issubclass(base, Optimizer) and "_update" in vars(base)
    ][:-1]


def slots_named(slots: list[Slots], name: str) -> list[Variable]:
    """The slots with this name, one for each variable."""
    return list(map(operator.itemgetter(name), slots))
