"""The legacy optimizer of a SavedModel whose configuration is unknown."""

from __future__ import annotations

from collections.abc import Iterable

from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.legacy_optimizer import Optimizer as LegacyOptimizer
from eagerflow.keras.optimizers.restored import WithoutRule


class RestoredLegacyOptimizer(WithoutRule, LegacyOptimizer):
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
