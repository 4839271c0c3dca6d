"""Steps of models whose weights a strategy of several replicas has made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import nest
from eagerflow.framework import distribution_state
from eagerflow.util import lazy

# Few models are trained on several devices.
strategies = lazy.Module("eagerflow.distribute.input")


def strategy_of(model: Any) -> Any:
    """The strategy whose scope made a model's weights, or else the optimizer's; None if there is none.

    Args:
        model: the model.
    """
    if model._compiled_in is not None:
        return model._compiled_in
    made = list(model.weights) if model.built else []
    counter = getattr(getattr(model, "optimizer", None), "_variables", ())[:1]
    for variable in (*counter, *made):
        strategy = getattr(variable, "_distribute_strategy", None)
        if strategy is not None:
            return strategy
    return distribution_state.strategy()


def communicator_of(model: object) -> Any:
    """The communicator of the processes that train a model; None for a single process.

    Args:
        model: the model, or None.
    """
    strategy = None if model is None else strategy_of(model)
    if strategy is None or strategy.extended._communicator.size == 1:
        return None
    return strategy.extended._communicator


def replicated(model: Any, kind: str, step: Callable[[Any], Any]) -> Callable[..., Any]:
    """Makes a step of one replica a step of all replicas.

    Each replica gets a part of the batch. In training and testing, all return the same values; in
    prediction, their outputs are concatenated.

    Args:
        model: the model.
        kind: "train", "test" or "predict".
        step: runs the step of one replica.
    """

    strategy = strategy_of(model)
    if strategy is None or strategy._is_default:
        return step
    replicas = len(strategy.extended._contexts())
    communicator = strategy.extended._communicator

    def run(data: Any) -> Any:
        if replicas > 1:
            data = strategies.split_batch(data, replicas)
        outputs = strategy.run(step, (data,))
        if kind != "predict":
            return strategy.experimental_local_results(outputs)[0]
        if replicas > 1:
            parts = strategy.experimental_local_results(outputs)
            outputs = nest.map_structure(lambda *each: strategies.joined_rows(each), *parts)
        if communicator.size > 1:
            outputs = nest.map_structure(lambda each: communicator.all_gather(each, 0), outputs)
        return outputs

    return run
