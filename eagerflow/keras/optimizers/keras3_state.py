"""An optimizer's state in the order of Keras 3's files.

Keras 3 counts the learning rate, unless it is a schedule, among an optimizer's variables, as the second;
some of its optimizers have further ones at the end, and plain SGD has no slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core

Variable = _core.Variable


def values_of(optimizer: Any) -> list[np.ndarray]:
    """The values of the variables that Keras 3's optimizer has."""
    variables = list(optimizer._variables)
    if not optimizer._has_slots_in_keras3():
        del variables[1:]
    if isinstance(optimizer._learning_rate, Variable):
        variables.insert(1, optimizer._learning_rate)
    return [variable.numpy() for variable in variables] + optimizer._extras_of_keras3()


def values_for(optimizer: Any, values: Sequence[Any]) -> list[Any]:
    """The values of a file for the optimizer's variables; those of Keras 2 are as they are.

    Slots that the file does not have keep their values.
    """
    values = list(values)
    own = len(optimizer._variables)
    extras = len(optimizer._extras_of_keras3())
    has_rate = len(values) > 1 and np.ndim(values[1]) == 0
    if has_rate and len(values) - own == 1 + extras:
        return [values[0], *values[2 : len(values) - extras]]
    if len(values) == 1 + has_rate < own and not optimizer._has_slots_in_keras3():
        return [values[0], *(variable.numpy() for variable in optimizer._variables[1:])]
    return values
