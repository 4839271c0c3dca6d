"""tf.__internal__.distribute: how variables of strategies are read and written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow.distribute.strategy import get_replica_context


def strategy_supports_no_merge_call() -> bool:
    """True: a strategy has one replica, which needs no merge."""
    return True


@contextlib.contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """A scope in which copies of variables are joined when they are read: there is one copy."""
    yield


def maybe_merge_call(fn: Callable[..., object], strategy: Any, *args: object, **kwargs: Any) -> Any:
    """Calls a function across replicas."""
    context = get_replica_context()
    if context is None or strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    return context.merge_call(fn, args, kwargs)


@contextlib.contextmanager
def cache_variable_reads() -> Iterator[None]:
    """A scope in which reads of variables on other devices may be kept: none takes long here."""
    yield


def auto_shard_dataset(
    dataset: Any, num_shards: int, index: int, num_replicas_in_sync: int | None = None
) -> Any:
    """The part of a dataset that one of several workers reads."""
    return dataset if num_shards == 1 else dataset.shard(num_shards, index)


class ShardedVariable:
    """A variable that is divided among servers: there are none, and no instances."""

    def __init__(self, variables: Any, name: str = "ShardedVariable") -> None:
        raise NotImplementedError(
            "Variables are not divided among servers here. Make a whole tf.Variable."
        )
