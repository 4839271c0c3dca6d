"""tensorflow.python.training.moving_averages: variables that follow a value."""

from __future__ import annotations

from typing import Any

from eagerflow.compat import v1
from eagerflow.graph.defaults import name_scope
from eagerflow.ops.control_flow import control_dependencies
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.variable_scope import get_variable, variable_scope

__all__ = ["assign_moving_average"]


def assign_moving_average(
    variable: Any,
    value: TensorLike,
    decay: Any,
    zero_debias: bool = True,
    name: str | None = None,
) -> Any:
    """Moves a variable towards a value: `variable -= (1 - decay) * (variable - value)`.

    Args:
        variable: the variable.
        value: a value of its shape.
        decay: how much of the variable stays.
        zero_debias: whether the variable is divided by `1 - decay ** steps`, as one that began at 0
            and follows the value (Kingma and Ba, 2015). Two more variables of its scope hold the
            average that is not divided, and the number of steps.
        name: the name of the operation.

    Returns:
        The new average.
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        dtype = variable.dtype.base_dtype
        rate = v1.cast(v1.convert_to_tensor(1.0 - decay), dtype)
        value = v1.convert_to_tensor(value, dtype)
        if not zero_debias:
            return variable.assign_sub((variable - value) * rate, name=scope)
        with variable_scope(variable.name.partition(":")[0]):
            zeros = v1.zeros_initializer()
            biased = get_variable("biased", variable.shape, dtype, zeros, trainable=False)
            steps = get_variable("local_step", [], dtype, zeros, trainable=False)
        average = biased.assign_sub((biased - value) * rate)
        count = steps.assign_add(v1.ones([], dtype))
        with control_dependencies([average, count]):
            corrected = biased.read_value() / (1 - v1.pow(1 - rate, steps.read_value()))
            return variable.assign_sub(variable - corrected, name=scope)
