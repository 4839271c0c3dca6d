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


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function across replicas."""
    context = get_replica_context()
    if context is None or strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    return context.merge_call(fn, args, kwargs)
