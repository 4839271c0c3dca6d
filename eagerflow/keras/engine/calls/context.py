"""The context of a running layer: the layers that called it, and their `training`."""

from __future__ import annotations

import threading
import weakref
from types import TracebackType
from typing import Any


class CallContext(threading.local):
    """The layers that this thread is calling, and the `training` of the innermost."""

    def __init__(self) -> None:
        self.layers: list[Any] = []  # the layers that are being called, outermost first
        # In a program's graph, how many of them have name scopes: operations are named by layers there.
        self.scoped = 0
        self.building = False  # whether a layer is in its `build`
        self.training: Any = None
        self.compute_dtype: Any = None  # the dtype in which autocast variables are read
        self.inferring = False  # whether shapes are inferred and nothing is computed
        # Layers that `add_loss` was called of, by identity: a flag that is cheap to look at.
        self.layers_with_losses: dict[int, weakref.ref] = {}
        # While shapes are inferred: which layers added a loss, and its dtype.
        self.inferred_losses: list[tuple[Any, Any]] = []


context = CallContext()


class inferring_shapes:
    """A `with` block in which layers run on tensors without values."""

    def __enter__(self) -> None:
        self._before, context.inferring = context.inferring, True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        context.inferring = self._before
