"""Which strategy is in use on a thread, and for which replica the thread runs.

`tf.distribute` keeps this up to date; variables, losses and optimizers in other layers read it.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class _State(threading.local):
    def __init__(self) -> None:
        self.strategies: list[Any] = []  # the innermost last
        # The contexts of replicas; None where code runs once for all of them.
        self.replicas: list[Any] = []
        # The index of the copy that a function called by `StrategyExtended.update` changes.
        self.updated_copy: int | None = None


state = _State()


def replica_context() -> Any:
    """The context of the replica for which this thread runs, or None."""
    return state.replicas[-1] if state.replicas else None


def strategy() -> Any:
    """The strategy in use, or None."""
    return state.strategies[-1] if state.strategies else None


def num_replicas() -> int:
    """How many replicas the strategy in use has; 1 without one."""
    return state.strategies[-1].num_replicas_in_sync if state.strategies else 1


def has_strategy() -> bool:
    """Whether a strategy other than the default one is in use."""
    return bool(state.strategies) and not state.strategies[-1]._is_default


def strategy_without_scaled_losses() -> str | None:
    """The name of the strategy in use, if it cannot train with losses that are scaled."""
    used = strategy()
    return None if used is None or used._scales_losses else type(used).__name__


def merged_in_replicas(function: Callable[..., object]) -> Callable[..., Any]:
    """A function that replicas call together: it runs once for all of them.

    Args:
        function: a method, such as `result` of a metric; its arguments are equal in all replicas.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: object) -> Any:
        if not state.replicas:
            return function(*args, **kwargs)
        context = state.replicas[-1]
        if context is None or state.updated_copy is not None or context.num_replicas_in_sync == 1:
            return function(*args, **kwargs)
        return context.merge_call(lambda strategy: function(*args, **kwargs))

    return call


def copy_number() -> int | None:
    """Which copy of a variable this thread is to use; None where code runs for all replicas."""
    if state.updated_copy is not None:
        return state.updated_copy
    context = replica_context()
    return None if context is None else context._local_id


@contextmanager
def inside(strategy: Any, replica: object) -> Iterator[None]:
    """Makes a strategy the one in use, and runs for a replica, or for all of them.

    Args:
        strategy: the strategy.
        replica: the context of the replica, or None.
    """
    state.strategies.append(strategy)
    state.replicas.append(replica)
    updated, state.updated_copy = state.updated_copy, None
    try:
        yield
    finally:
        state.updated_copy = updated
        state.replicas.pop()
        state.strategies.pop()


@contextmanager
def updating(copy: int) -> Iterator[None]:
    """Makes distributed variables behave as one of their copies.

    Args:
        copy: the index of the copy.
    """
    before, state.updated_copy = state.updated_copy, copy
    try:
        yield
    finally:
        state.updated_copy = before
