"""Moving averages in graphs: the averages are variables of the graph, and an operation updates them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.name_scope import name_scope
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.variables import (
    GraphVariable,
    assign_sub,
    global_variables,
    moving_average_variables,
    trainable_variables,
)
from eagerflow.ops.control_flow import group

if TYPE_CHECKING:
    from eagerflow.train.moving_average import ExponentialMovingAverage


def apply_in_graph(averages: ExponentialMovingAverage, var_list: Iterable[Any] | None) -> Any:
    """An operation that updates the averages of variables and tensors of the graph.

    Raises:
        TypeError: if one is not floating.
    """
    graph = context.default_graph()
    followed = trainable_variables() if var_list is None else list(var_list)
    for item in followed:
        if not item.dtype.is_floating:
            raise TypeError(f"The variables must be half, float, or double: {item.name}")
        if id(item) not in averages._averages:
            _make_average(averages, graph, item)
    with graph.name_scope(averages.name):
        return group(*(_updated(averages, item) for item in followed), name="apply")


def _make_average(averages: ExponentialMovingAverage, graph: Any, item: Any) -> None:
    name = graph.name_in_variable_scope(averages.average_name(item))
    is_variable = isinstance(item, _core.Variable)

    def start() -> Any:
        if is_variable:
            return item.initialized_value()
        return _core.ops.zeros(item.shape.as_list(), item.dtype)

    def make(value: object, name: str) -> GraphVariable:
        return GraphVariable(value, trainable=False, name=name)

    with name_scope(""), graph.control_dependencies(None):
        average = make(start, name)
        averages._variables[id(item)] = item
        averages._averages[id(item)] = average
        if averages._zero_debias and not is_variable:
            # The average is the weighted sum divided by the sum of the weights.
            averages._sums[id(item)] = make(start, f"{name}/biased")
            averages._weights[id(item)] = make(
                lambda: _core.ops.zeros([], item.dtype), f"{name}/local_step"
            )
    if is_variable:
        known = graph.get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES)
        if all(item is not other for other in known):
            graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, item)


def rate_of(averages: ExponentialMovingAverage) -> _core.Tensor:
    """The part of a difference by which averages move: a float32 scalar, also for other dtypes."""
    decay = _core.convert(averages._decay, dtypes.float32, None)
    if averages._num_updates is not None:
        count = _core.ops.cast(averages._num_updates, dtypes.float32)
        decay = _core.ops.minimum(decay, (1.0 + count) / (10.0 + count))
    return 1.0 - decay


def _updated(averages: ExponentialMovingAverage, item: Any) -> Any:
    average = averages._averages[id(item)]
    rate = _core.ops.cast(rate_of(averages), item.dtype)
    biased = averages._sums.get(id(item))
    if biased is None:
        return assign_sub(average, (average - item) * rate)
    weight = averages._weights[id(item)]
    summed = assign_sub(biased, (biased - item) * rate)
    weighed = assign_sub(weight, (weight - 1.0) * rate)
    return average.assign(summed / weighed)


def variables_to_restore(averages: ExponentialMovingAverage, given: Any) -> dict[str, Any]:
    """All variables of the graph: those with averages by the averages' names."""
    if given is None:
        given = [*trainable_variables(), *moving_average_variables()]
    given = list(given)
    names = {averages.average_name(item): item for item in given}
    averaged = {id(item) for item in given}
    for variable in global_variables():
        if id(variable) not in averaged and variable.op.name not in names:
            names[variable.op.name] = variable
    return names
