"""The optimizer of a SavedModel whose configuration is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.optimizer import Optimizer
from eagerflow.keras.typing import Config

_NOT_KNOWN = (
    "Restoring functional Optimizers from SavedModels is not currently supported: the file has the "
    "variables of the optimizer, and not its rule. Compile the model before it is saved."
)


class WithoutRule:
    """An optimizer with variables, but without an update rule."""

    def get_config(self) -> Config:
        """Raises a NotImplementedError: the arguments are not in the file."""
        raise NotImplementedError(_NOT_KNOWN)

    def apply_gradients(self, *args: object, **kwargs: object) -> Any:
        """Raises a NotImplementedError: the rule is not in the file."""
        raise NotImplementedError(_NOT_KNOWN)


class RestoredOptimizer(WithoutRule, Optimizer):
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
