"""The base class of the optimizers of TensorFlow 2.0 to 2.10, where it differs from today's."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.framework import context, distribution_state, dtypes
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.variable import Variable, variable_at_once
from eagerflow.keras import config as defaults
from eagerflow.keras.optimizers import accumulation, clipping, scalars
from eagerflow.keras.optimizers.hyperparameters import Hyperparameter, given, names_of
from eagerflow.keras.optimizers.keras2_hooks import Slots, summed_rows
from eagerflow.keras.optimizers.optimizer import Optimizer as _NewOptimizer
from eagerflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from eagerflow.keras.typing import Config, InitializerLike
from eagerflow.ops import control_flow
from eagerflow.typing import DTypeLike, ShapeLike
from eagerflow.util import lazy

# Imported when it is first used: few programs build graphs.
graph_gradients = lazy.Module("eagerflow.graph.gradients")
graph_variables = lazy.Module("eagerflow.graph.variables")
hints = lazy.Module("eagerflow.util.hints")
initializers = lazy.Module("eagerflow.keras.initializers")

_ops = _core.ops

_NEWER_ARGUMENTS = (
    "weight_decay",
    "use_ema",
    "ema_momentum",
    "ema_overwrite_frequency",
    "jit_compile",
)


_OLDER_ARGUMENTS = ("lr", "global_clipnorm", "clipvalue", "clipnorm", "decay")


class Optimizer(_NewOptimizer):
    """Base class of the legacy optimizers; see `tf.keras.optimizers.Optimizer`.

    `learning_rate` returns a schedule itself, not its current value. A threshold of 0 clips, and
    several thresholds apply in turn: `clipvalue` first, then the norms.

    Args:
        name: the optimizer's name.
        gradient_aggregator: a function of pairs of gradient and variable that returns such pairs,
            called before clipping.
        gradient_transformers: functions of the same kind, called in order.
        **kwargs: `clipnorm`, `clipvalue`, `global_clipnorm`; `lr`, the deprecated name of
            `learning_rate`; and `decay`, which divides the learning rate by
            `1 + decay * iteration`.

    Raises:
        ValueError: if one of these is negative, if both norms are given, or if there are
            transformers, and gradients are to be clipped as well.
        TypeError: for an argument that does not exist.

    >>> halve = lambda pairs: [(gradient / 2.0, variable) for gradient, variable in pairs]
    >>> v = tf.Variable(1.0)
    >>> optimizer = tf.keras.optimizers.legacy.SGD(0.5, gradient_transformers=[halve])
    >>> _ = optimizer.minimize(lambda: v * v, [v])
    >>> print(v.numpy())
    0.5
    """

    _is_legacy = True
    learning_rate: Any = Hyperparameter("learning_rate")
    lr: Any = Hyperparameter("learning_rate")
    decay: Any = Hyperparameter("decay")

    _decays_rate = True  # whether `decay` reduces the learning rate
    _keeps_rows = False  # whether rows without a gradient, and their slots, stay as they are

    def __init__(
        self,
        name: str,
        gradient_aggregator: Any = None,
        gradient_transformers: Any = None,
        **kwargs: Any,
    ) -> None:
        for key in _NEWER_ARGUMENTS:
            if key in kwargs:
                raise _unexpected(type(self), key)
        for key in _OLDER_ARGUMENTS:
            value = kwargs.get(key)
            if value is not None and value < 0:
                raise ValueError(f"Expected {key} >= 0, received: {value}")
        norms = kwargs.get("clipnorm"), kwargs.get("global_clipnorm")
        if None not in norms:
            raise ValueError(
                "Cannot accept both `clipnorm` and `global_clipnorm`. Received: "
                f"`clipnorm`={norms[0]}, `global_clipnorm`={norms[1]}."
            )
        self._hyper = {}
        self._hypers_created = False
        self._initial_decay = kwargs.pop("decay", 0.0)
        functions = {"gradient_aggregator", "gradient_transformers"}
        self._unsaved_arguments = functions | names_of(type(self))
        rate = kwargs.pop("lr", None)
        if rate is not None and self._knows_lr:
            kwargs["learning_rate"] = rate
        if "epsilon" in kwargs:
            kwargs["epsilon"] = kwargs["epsilon"] or defaults.epsilon()
        super().__init__(name=name, **kwargs)
        self.gradient_aggregator = gradient_aggregator
        self.gradient_transformers = list(gradient_transformers or ())
        if self.gradient_transformers:
            for threshold in ("clipnorm", "clipvalue", "global_clipnorm"):
                if getattr(self, threshold) is not None:
                    raise ValueError(
                        f"`{threshold}` cannot be set when `gradient_transformers` is set. "
                        "Instead, use the `gradient_transformers` to specify clipping and other "
                        "transformations."
                    )

    _knows_lr = True

    def _rate_argument(self, kwargs: dict[str, object]) -> Any:
        rate = kwargs.pop("learning_rate", None)
        for key in kwargs:
            raise _unexpected(type(self), key)
        return rate

    def __getattr__(self, name: str) -> Any:
        """A hyperparameter of a program's own class."""
        if name in self.__dict__.get("_hyper", ()):
            return self._get_hyper(name)
        return object.__getattribute__(self, name)  # raises what has led here

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__.get("_hyper", ()):
            self._set_hyper(name, value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._hyper})

    def _set_rate(self, rate: Any) -> None:
        self._set_hyper("learning_rate", rate)
        self._hyper.setdefault("decay", self._initial_decay)

    @property
    def _learning_rate(self) -> Any:
        return self._hyper.get("learning_rate")

    def _set_hyper(self, name: str, value: object) -> None:
        """Stores a hyperparameter, or assigns its value to the existing variable."""
        known = self._hyper.get(name)
        if isinstance(known, _core.Variable) and not isinstance(value, LearningRateSchedule):
            known.assign(value)
        else:
            self._hyper[name] = value

    def _get_hyper(self, name: str, dtype: DTypeLike | None = None) -> Any:
        """A hyperparameter; as a tensor if a dtype is given."""
        if not self._hypers_created:
            self._create_hypers()
        value = given(self._hyper[name])
        if dtype is None or isinstance(value, LearningRateSchedule):
            return value
        return _ops.cast(_core.as_tensor(value), dtypes.as_dtype(dtype))

    def _serialize_hyperparameter(self, hyperparameter: object) -> Any:
        """A hyperparameter, or that of a name, as a plain value: as it was set, until the first step."""
        if isinstance(hyperparameter, str):
            hyperparameter = self._hyper[hyperparameter]
        return super()._serialize_hyperparameter(hyperparameter)

    def _create_hypers(self) -> None:
        """Makes the variables of the hyperparameters that are numbers; subclasses override it."""
        if self._hypers_created:
            return
        self._hypers_created = True
        for name, value in sorted(self._hyper.items()):
            if not isinstance(value, _core.Tensor | _core.Variable) and not callable(value):
                dtype = dtypes.bool if isinstance(value, bool) else dtypes.float32
                self._hyper[name] = self._add_scalar(name, value, dtype)
        self._settle_restorations()

    def _add_scalar(self, name: str, value: object, dtype: DTypeLike) -> Variable:
        """A variable of the optimizer that belongs to none of the model's."""
        with eagerly():
            return variable_at_once(value, dtype=dtype, trainable=False, name=name)

    def add_weight(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike = "zeros",
        trainable: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> Variable:
        """Makes a variable of the optimizer that belongs to none of the model's.

        Args:
            name: its name.
            shape: its shape.
            dtype: by default Keras's float type.
            initializer: an initializer or its name.
            trainable: accepted: no optimizer trains it.
            synchronization: when copies of the replicas are combined.
            aggregation: how they are combined.
        """
        initial = initializers.get(initializer)(shape or [], dtype=defaults.float_dtype(dtype))
        return self._keep(
            Variable(
                initial,
                trainable=False,
                name=name,
                synchronization=synchronization,
                aggregation=aggregation,
            )
        )

    def _start_counting(self) -> None:
        """Leaves the counter to the first step, which names it."""

    @functools.cached_property
    def _iterations(self) -> Variable:  # type: ignore[override]
        return self.iterations  # which a wrapper of another optimizer may override

    @property
    def iterations(self) -> Variable:
        """The number of steps so far: an int64 variable."""
        counter = self.__dict__.get("_iterations")
        if counter is None:
            counter = self._add_scalar("iter", 0, dtypes.int64)
            self.__dict__["_iterations"] = counter
            self._variables.insert(0, counter)
            self._settle_restorations()
        return counter

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        if "_iterations" in self.__dict__:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been "
                f"created. Here it is attempting to set `iterations` to {variable}. Please set "
                "`iterations` before calling `apply_gradients()`."
            )
        self.__dict__["_iterations"] = variable
        self._variables.insert(0, variable)
        if isinstance(variable, Variable):
            self._one = _core.convert(1, variable.dtype)

    def _sparse(self, gradient: IndexedSlices) -> Any:
        return summed_rows(gradient) if self._keeps_rows else super()._sparse(gradient)

    def _current_rate(self) -> float | _core.Tensor:
        if "learning_rate" not in self._hyper:
            return 0.0
        rate = self._get_hyper("learning_rate")
        if isinstance(rate, LearningRateSchedule):
            rate = rate(self._iterations)
        rate = scalars.number(rate)
        if self._decays_rate and self._initial_decay > 0 and "decay" in self._hyper:
            decay = scalars.number(self._get_hyper("decay"))
            rate = rate / (1.0 + decay * scalars.whole(self._iterations))
        return rate

    def build(self, var_list: Iterable[Variable]) -> None:
        """Makes the variables of the optimizer: the counter, the hyperparameters and the slots.

        Args:
            var_list: the variables that the optimizer updates.
        """
        var_list = list(var_list)
        self.iterations  # noqa: B018 - made first
        if not self._hypers_created:
            self._create_hypers()
        super().build(var_list)
        if not self._has_own_rule():
            self._create_slots_of(var_list)

    def _create_slots(self, var_list: list[Any]) -> None:
        """Makes the slots of variables; programs call it, and subclasses override it."""
        for variable in var_list:
            self._slots_of(variable)

    def _slots_of(self, variable: Variable) -> Slots:
        """The slots of a variable, which are made on first use."""
        if variable._id not in self._models:
            self._add_slots(variable)
        return self._slots.setdefault(variable._id, {})

    @property
    def _weights(self) -> list[Variable]:
        """The optimizer's variables, by the name that these versions have for them."""
        return self._variables

    def _own_scalars(self) -> dict[str, Any]:
        """The optimizer's state in checkpoints other than the slots, by name."""
        counter = self.__dict__.get("_iterations")
        if not any(counter is variable for variable in self._variables):
            counter = None  # that of another optimizer
        calls = {accumulation.COUNTER: self._calls} if "_calls" in self.__dict__ else {}
        return {"iter": counter, **calls, **self._hyper}

    def _checkpoint_children(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self._own_scalars().items()
            if isinstance(value, _core.Variable)
        }

    def _refuse_slots(self) -> None:
        """Accepts checkpoints of legacy optimizers, which this is."""

    def _checkpoint_slots(self) -> list[tuple[Variable, str, Variable]]:
        variables = self._models | self._seen
        return [
            (variable, self._slot_names.get(name, name), slot)
            for key, variable in variables.items()
            for name, slot in self._slots.get(key, {}).items()
        ]

    def _clipped(self, gradients: list) -> list:
        if self.clipvalue is not None:
            gradients = clipping.clipped_by_value(gradients, self.clipvalue)
        if self.clipnorm is not None:
            gradients = clipping.clipped_by_norm(gradients, self.clipnorm)
        if self.global_clipnorm is not None:
            gradients = clipping.clipped_by_global_norm(gradients, self.global_clipnorm)
        return gradients

    def _aggregate_gradients(self, grads_and_vars: Any) -> Any:
        """Aggregates the pairs over the replicas with `gradient_aggregator`."""
        aggregator = self.gradient_aggregator
        return grads_and_vars if aggregator is None else aggregator(grads_and_vars)

    def _transform_gradients(self, grads_and_vars: object) -> Any:
        """Applies the `gradient_transformers` to the pairs."""
        for transformer in self.gradient_transformers:
            grads_and_vars = transformer(grads_and_vars)
        return grads_and_vars

    def _transform_unaggregated_gradients(self, grads_and_vars: Any) -> Any:
        """Changes the pairs before they are aggregated; subclasses override it."""
        return grads_and_vars

    def _transform_loss(self, loss: Any) -> Any:
        """Changes the loss before its gradients are computed; subclasses override it."""
        return loss

    def _get_gradients(
        self, tape: GradientTape, loss: Any, var_list: Any, grad_loss: Any = None
    ) -> list[tuple[Any, Variable]]:
        """The pairs of gradients and variables of a recorded loss; subclasses override it."""
        variables = list(var_list)
        return list(zip(tape.gradient(loss, variables, grad_loss), variables, strict=True))

    def compute_gradients(
        self, loss: Any, var_list: Any, tape: GradientTape | None = None, grad_loss: Any = None
    ) -> list[tuple[Any, Variable]]:
        """Computes pairs of gradients and variables; for the arguments see `minimize`."""
        kind = type(self)
        transforms = kind._transform_loss is not Optimizer._transform_loss
        own = transforms or kind._get_gradients is not Optimizer._get_gradients
        if not own or (tape is None and not callable(loss)):
            return super().compute_gradients(loss, var_list, tape, grad_loss)
        tape = tape or GradientTape()
        if callable(loss):
            with tape:
                if not callable(var_list):
                    tape.watch(var_list)
                loss = self._transform_loss(loss())
        elif transforms:
            with tape:
                loss = self._transform_loss(loss)
        variables = list(var_list() if callable(var_list) else var_list)
        return self._get_gradients(tape, loss, variables, grad_loss)

    def _changes_gradients(self) -> bool:
        kind = type(self)
        return (
            self.gradient_aggregator is not None
            or bool(self.gradient_transformers)
            or kind._aggregate_gradients is not Optimizer._aggregate_gradients
            or kind._transform_gradients is not Optimizer._transform_gradients
            or kind._transform_unaggregated_gradients
            is not Optimizer._transform_unaggregated_gradients
        )

    def apply_gradients(  # type: ignore[override]
        self,
        grads_and_vars: Any,
        name: str | None = None,
        experimental_aggregate_gradients: bool = True,
        **kwargs: Any,
    ) -> Any:
        """Updates variables from their gradients, which the optimizer's functions change first.

        Returns:
            The `iterations`, incremented by one; in a graph that a program builds, the operation that
            updates the variables.
        """
        if self._changes_gradients():
            pairs = list(grads_and_vars)
            known = [pair for pair in pairs if pair[0] is not None]
            if known and experimental_aggregate_gradients:
                known = self._aggregate_gradients(self._transform_unaggregated_gradients(known))
            grads_and_vars = (known and self._transform_gradients(known)) or pairs
        grads_and_vars = list(grads_and_vars)
        for _, variable in grads_and_vars:
            if isinstance(variable, _core.Tensor):
                raise NotImplementedError(
                    f"Updating a `Tensor` is not implemented. Received: var={variable}."
                )
        graph = context.building_graph()
        if graph is None:
            return self._apply_pairs(grads_and_vars, name, **kwargs)
        before = len(graph.get_operations())
        # A graph may have several optimizers of one name.
        scope = graph.unique_name(name or self.name).rpartition("/")[2]
        self._apply_pairs(grads_and_vars, scope, **kwargs)
        updates = graph.get_operations()[before:]
        self._list_in(graph)
        return control_flow.group(*updates, name=name or self.name)

    def _apply_pairs(self, pairs: list[tuple[Any, Any]], name: str | None, **kwargs: Any) -> Any:
        """Applies the pairs by `_distributed_apply`, which a subclass may override."""
        if type(self)._distributed_apply is Optimizer._distributed_apply:
            return super().apply_gradients(pairs, name, **kwargs)
        if not self._was_built:
            with eagerly(), name_scope(name or self.name):
                self.build([variable for _, variable in pairs])
        known = [pair for pair in pairs if pair[0] is not None]
        strategies = distribution_state.state.strategies
        variables = [variable for _, variable in known]
        self._create_slots_of(variables)
        state = self._prepare(variables)
        return self._distributed_apply(strategies[-1] if strategies else None, known, state, name)

    def _distributed_apply(
        self, distribution: Any, grads_and_vars: Any, apply_state: Any, name: str | None
    ) -> Any:
        """Updates the variables of pairs and counts the step; subclasses override it."""
        return super().apply_gradients(list(grads_and_vars), name)

    def _list_in(self, graph: Any) -> None:
        """Lists the optimizer's own variables among those of a program's graph, which saves them."""
        own = [value for _, value in sorted(self._own_scalars().items())]
        for variable in [*own, *self._variables]:
            if isinstance(variable, _core.Variable):
                graph_variables.listed(variable, graph)

    def minimize(  # type: ignore[override]
        self,
        loss: Any,
        var_list: Any,
        grad_loss: Any = None,
        name: str | None = None,
        tape: GradientTape | None = None,
    ) -> Any:
        """Computes the gradients of a loss and applies them.

        Args:
            loss: a function without arguments that returns the loss, or, with `tape`, the loss.
            var_list: a variable or a nested structure of those to update, or a function that
                returns them.
            grad_loss: a factor of the gradients.
            tape: the tape that recorded a loss that is a tensor.

        Returns:
            What `apply_gradients` returns.

        Raises:
            ValueError: if `loss` is a tensor and there is no tape.
        """
        flat: Any = nest.flatten(var_list)
        if callable(var_list):  # the loss may make the variables
            flat = lambda: nest.flatten(var_list())  # noqa: E731
        return super().minimize(loss, flat, tape, grad_loss, name)

    def get_gradients(self, loss: Any, params: Any) -> list[Any]:
        """The clipped derivatives of a loss by variables, in a graph that is being built.

        Args:
            loss: a tensor of the graph, or a list.
            params: the variables.

        Raises:
            RuntimeError: if operations run eagerly.
            ValueError: if the loss does not depend on a variable.
        """
        params = list(params)
        found = graph_gradients.gradients(loss, params)
        for gradient, variable in zip(found, params, strict=True):
            if gradient is None:
                raise ValueError(
                    f"Variable {variable} has `None` for gradient. Please make sure that all of "
                    "your ops have a gradient defined (i.e. are differentiable): "
                    "`backend.argmax`, `backend.round` and `backend.eval` have none."
                )
        return self._clipped(found)

    def get_updates(self, loss: Any, params: Any) -> list[Any]:
        """A list with the operation that updates variables by a loss; see `get_gradients`."""
        params = list(params)
        pairs = zip(self.get_gradients(loss, params), params, strict=True)
        return [self.apply_gradients(pairs)]

    def set_weights(self, weights: Any) -> None:
        """Gives the optimizer's variables these values.

        Raises:
            ValueError: if there are more or fewer variables, or a shape does not fit.
        """
        weights = list(weights)
        if len(weights) != len(self._variables):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self.name} with a weight list of "
                f"length {len(weights)}, but the optimizer was expecting {len(self._variables)} "
                f"weights. Provided weights: {str(weights)[:50]}..."
            )
        self._was_built = True
        super().set_weights(weights)

    def _slot_groups(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [(name,) for name in names]

    def _name_of_slot(self, variable: Variable, slot: str) -> str:
        return f"{variable._name}/{self._slot_names.get(slot, slot)}"

    def get_config(self) -> Config:
        """The arguments that make an optimizer like this one."""
        config = super().get_config()
        for name in (*_NEWER_ARGUMENTS, "is_legacy_optimizer"):
            del config[name]
        for name in ("clipnorm", "clipvalue", "global_clipnorm"):
            if config[name] is None:
                del config[name]
        if not self._has_own_rule():
            return config
        declared = names_of(type(self))
        kept = {name: value for name, value in self._hyper.items() if name in declared}
        values = {name: self._serialize_hyperparameter(value) for name, value in kept.items()}
        return {"name": config["name"], **values, **config, "decay": self._initial_decay}


def is_positive(value: object) -> bool:
    """Whether a hyperparameter is positive, or may become so as it is computed at each step."""
    return not isinstance(value, int | float) or value > 0


def _unexpected(cls: type, key: str) -> TypeError:
    hint = hints.of_constructor(cls, [key], _OLDER_ARGUMENTS)
    return TypeError(
        f"Unexpected keyword argument passed to optimizer: {key}{hint or '.'} Allowed kwargs are "
        f"{set(_OLDER_ARGUMENTS)}."
    )
