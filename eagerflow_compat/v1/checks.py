"""Checks that version 1's programs add to a graph as a whole."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.graph.variables import global_variables, local_variables
from eagerflow.ops import array
from eagerflow.ops.assertions import check_numerics
from eagerflow.ops.control_flow import control_dependencies, group


def add_check_numerics_ops() -> Any:
    """An operation that fails where any float tensor of the graph has a NaN or an infinity.

    Raises:
        RuntimeError: where operations run eagerly.
        tf.errors.InvalidArgumentError: when it is run and there is one.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32)
    ...     y = tf.math.log(x)
    ...     check = tf.compat.v1.add_check_numerics_ops()
    ...     session.run(check, {x: 0.0})
    Traceback (most recent call last):
        ...
    eagerflow.errors.InvalidArgumentError: ... Log:0 : Tensor had Inf values ...
    """
    graph = context.building_graph()
    if graph is None:
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution. To check for Inf's "
            "and NaN's under eager execution, call tf.debugging.enable_check_numerics() once "
            "before executing the checked operations."
        )
    checks: list[_core.Tensor] = []
    for operation in graph.get_operations():
        for output in operation.outputs:
            if output.dtype.is_floating:
                with control_dependencies(checks):
                    checks = [check_numerics(output, message=output.name)]
    return group(*checks)


def assert_variables_initialized(var_list: Any = None) -> _core.Tensor | None:
    """A tensor with the names of variables: running it fails where one has no value.

    Args:
        var_list: the variables; by default all of the graph.

    Returns:
        None where there are no variables, or where operations run eagerly: these have values.

    Raises:
        tf.errors.FailedPreconditionError: when it is run and one has no value.

    >>> tf.compat.v1.assert_variables_initialized([tf.Variable(1.0)])
    """
    if context.building_graph() is None:
        return None
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    if not variables:
        return None
    ranks = [array.rank(variable.read_value()) for variable in variables]
    return ranks[0] if len(ranks) == 1 else _core.ops.stack(ranks, axis=0)
