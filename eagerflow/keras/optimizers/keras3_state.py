"""An optimizer's state in the order of Keras 3's files.

In Keras 3 the second variable of an optimizer is the learning rate, unless it is a schedule. Some of its
optimizers have further variables at the end, and SGD without momentum has no slots.
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
    """The values of a file in the order of the optimizer's variables; Keras 2 has this order already.

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
