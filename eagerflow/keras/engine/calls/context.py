"""The context of a running layer: the layers around it, and what they were called with."""

from __future__ import annotations

import threading
import weakref
from types import TracebackType
from typing import Any


class CallContext(threading.local):
    """The innermost running layer of this thread, and what it was called with."""

    def __init__(self) -> None:
        self.layers: list[Any] = []  # the layers that are being called, outermost first
        self.building = False  # whether one of them is in its `build`
        self.training: Any = None
        self.compute_dtype: Any = None  # what variables that cast themselves are read as
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
