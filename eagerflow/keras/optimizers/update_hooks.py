"""The methods that optimizers since TensorFlow 2.11 call in a step; a subclass may override each."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from eagerflow.framework import distribution_state
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.keras2_hooks import Keras2Hooks, summed_rows
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

# Imported when they are first used: few programs need them.
hints = lazy.Module("eagerflow.util.hints")

Pairs = list[tuple[Any, Variable]]

# The methods around the rule; a class of a rule has its own by another name.
_AROUND = frozenset(
    "update_step _update_step _internal_apply_gradients _distributed_apply_gradients_fn "
    "_clip_gradients _deduplicate_sparse_grad _apply_weight_decay "
    "_update_model_variables_moving_average _overwrite_model_variables_with_average_value".split()
)


class SlotList:
    """The slots of one name, one for each variable, as Keras's rules keep them in an attribute.

    Args:
        slot: the slots' name here.
    """

    def __init__(self, slot: str) -> None:
        self._slot = slot

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, optimizer: Any, owner: type) -> Any:
        if optimizer is None:
            return self
        if not optimizer._was_built:
            raise AttributeError(
                f"{owner.__name__} has no {self._name} before `build` has made its variables."
            )
        keys = optimizer._index_dict
        slots = (optimizer._slots.get(key, {}) for key in sorted(keys, key=keys.__getitem__))
        return [kept[self._slot] for kept in slots if self._slot in kept]


class UpdateHooks(Keras2Hooks):
    """The methods that a step consists of.

    The step of a class that overrides none of them updates all variables at once, without them.
    """

    _is_legacy: bool
    _counts_steps: Callable[[], bool]
    _update_averages: Callable[[list[Variable]], None]
    _decay_weights: Callable[[list[Variable], Any], None]
    _constrain: Callable[[list[Variable]], None]
    _clipped: Callable[[list], list]
    _index_dict: dict[int, int]
    _averages: dict[int, Variable]
    _one: Any
    _has_other_decay: bool
    clipnorm: float | None
    clipvalue: float | None
    global_clipnorm: float | None
    weight_decay: float | None
    use_ema: bool

    def _process_kwargs(self, kwargs: dict[str, Any]) -> None:
        """Refuses what the constructor does not know; arguments without a meaning are left out.

        Raises:
            ValueError: for an argument of legacy optimizers.
            TypeError: for one that no optimizer has.
        """
        name = type(self).__name__
        if "lr" in kwargs:
            del kwargs["lr"]
            warn(
                "`lr` is deprecated in the optimizer and ignored: please use `learning_rate`, or "
                f"the legacy optimizer, e.g., tf.keras.optimizers.legacy.{name}."
            )
        for legacy in ("decay", "gradient_aggregator", "gradient_transformers"):
            if legacy in kwargs:
                raise ValueError(
                    f"{legacy} is deprecated in the new Keras optimizer, please check the "
                    "docstring for valid arguments, or use the legacy optimizer, e.g., "
                    f"tf.keras.optimizers.legacy.{name}."
                )
        for ignored in ("is_legacy_optimizer", "mesh"):
            kwargs.pop(ignored, None)
        if kwargs:
            hint = hints.of_constructor(type(self), kwargs) or "."
            raise TypeError(f"{name} got unexpected arguments: {', '.join(sorted(kwargs))}{hint}")

    @functools.cached_property
    def _has_update_hooks(self) -> bool:
        """Whether a subclass overrides a method of the step.

        `update_step` alone is the rule of a class without another, and no method around one.
        """
        if self._is_legacy:
            return False
        kinds = list(
            itertools.takewhile(lambda kind: "_update" not in vars(kind), type(self).__mro__)
        )
        around = _AROUND if self._has_own_rule() else _AROUND - {"update_step"}
        return any(around & vars(kind).keys() for kind in kinds)

    def _apply_by_hooks(self, variables: list[Variable], gradients: list) -> None:
        """One step, by the methods that subclasses may override."""
        gradients = self._deduplicate_sparse_grad(self._clip_gradients(gradients))
        self._apply_weight_decay(variables)
        self._internal_apply_gradients(list(zip(gradients, variables, strict=True)))
        self._constrain(variables)

    def _clip_gradients(self, grads: list) -> list:
        """Gradients within the thresholds of the optimizer."""
        if (self.clipnorm, self.clipvalue, self.global_clipnorm) == (None, None, None):
            return grads
        return self._clipped(grads)

    def _deduplicate_sparse_grad(self, grads: list) -> list:
        """Gradients whose rows are summed: none has a row twice."""
        deduplicated = []
        for gradient in grads:
            if isinstance(gradient, IndexedSlices):
                rows, values = summed_rows(gradient)
                gradient = IndexedSlices(values, rows, gradient.dense_shape)
            deduplicated.append(gradient)
        return deduplicated

    def _apply_weight_decay(self, variables: list[Variable]) -> None:
        """Subtracts the weight decay, if there is one."""
        if self.weight_decay or self._has_other_decay:
            self._decay_weights(variables, self._current_rate())

    def _internal_apply_gradients(self, grads_and_vars: Pairs) -> Any:
        """Updates variables by gradients that have been clipped, and counts the step."""
        strategies = distribution_state.state.strategies
        strategy = strategies[-1] if strategies else None
        return self._distributed_apply_gradients_fn(strategy, grads_and_vars)

    def _distributed_apply_gradients_fn(
        self, distribution: Any, grads_and_vars: Pairs, **kwargs: Any
    ) -> Any:
        """Updates each variable of the replica, and then the averages and the counter."""
        pairs = list(grads_and_vars)
        for gradient, variable in pairs:
            self._update_step(gradient, variable)
        if distribution is None or self._counts_steps():
            self._iterations.assign_add(self._one)
        if self.use_ema:
            self._update_model_variables_moving_average([variable for _, variable in pairs])
        return self._iterations

    def _update_step(self, gradient: Any, variable: Variable) -> None:
        """Updates one variable that `build` knows."""
        self.update_step(gradient, variable)

    def update_step(self, gradient: Any, variable: Variable) -> None:
        """Updates one variable by the class's rule; a user-defined subclass overrides it.

        Raises:
            TypeError: if the class has no rule.
        """
        if self._overrides_rule or not self._has_own_rule():
            self._update_by_resource([variable], [gradient])
            return
        if isinstance(gradient, IndexedSlices):
            gradient = self._summed(gradient, variable)
        self._apply_rule(gradient, variable)

    def _update_model_variables_moving_average(self, var_list: list[Variable]) -> None:
        """Brings the averages up to date, and assigns them if it is time."""
        self._update_averages(list(var_list))

    def _overwrite_model_variables_with_average_value(self, var_list: list[Variable]) -> None:
        """Assigns the averages to their variables."""
        for variable in var_list:
            variable.assign(self._averages[variable._id])

    def _build_index_dict(self, var_list: list[Variable]) -> None:
        """Numbers the variables."""
        for variable in var_list:
            self._index_dict.setdefault(variable._id, len(self._index_dict))
