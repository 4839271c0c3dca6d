"""The optimizer of a SavedModel whose configuration is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.legacy_optimizer import Optimizer as LegacyOptimizer
from eagerflow.keras.optimizers.optimizer import Optimizer
from eagerflow.keras.typing import Config

_NOT_KNOWN = (
    "Restoring functional Optimizers from SavedModels is not currently supported: the file has the "
    "variables of the optimizer, and not its rule. Compile the model before it is saved."
)


class _WithoutRule:
    """An optimizer with variables, but without an update rule."""

    def get_config(self) -> Config:
        """Raises a NotImplementedError: the arguments are not in the file."""
        raise NotImplementedError(_NOT_KNOWN)

    def apply_gradients(self, *args: object, **kwargs: object) -> Any:
        """Raises a NotImplementedError: the rule is not in the file."""
        raise NotImplementedError(_NOT_KNOWN)


class RestoredOptimizer(_WithoutRule, Optimizer):
    """The variables of an optimizer, without its rule.

    Args:
        variables: its variables, the number of steps first.
        iterations: the number of steps.
        learning_rate: the learning rate, if it is a variable.
    """

    def __init__(
        self, variables: Iterable[Variable], iterations: Variable, learning_rate: Variable | None
    ) -> None:
        super().__init__("RestoredOptimizer")
        self._variables, self._iterations = list(variables), iterations
        self._learning_rate = learning_rate
        self._was_built = True


class RestoredLegacyOptimizer(_WithoutRule, LegacyOptimizer):
    """The variables of a legacy optimizer, without its rule.

    Args:
        scalars: its variables that belong to none of the model's, by name; `iter` counts the steps.
        slots: its other variables: each with the variable that it belongs to and the slot's name.
    """

    def __init__(
        self, scalars: dict[str, Variable], slots: Iterable[tuple[Variable, str, Variable]]
    ) -> None:
        super().__init__("RestoredOptimizer")
        self._hyper, self._hypers_created = dict(scalars), True
        if (counter := self._hyper.pop("iter", None)) is not None:
            self.iterations = counter
        for variable, name, slot in slots:
            self._models[variable._id] = variable
            self._slots.setdefault(variable._id, {})[name] = slot
            self._variables.append(slot)
        self._was_built = True
