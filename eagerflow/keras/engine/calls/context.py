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
        self.building: Any = None  # the layer that is in its `build`
        self.training: Any = None
        self.inferring = False  # whether shapes are inferred and nothing is computed
        # Whether calls with symbolic tensors have such results in a program's graph, too, as inside of
        # layers: what is called is not what the program has called.
        self.apart = False
        # Layers that `add_loss` was called of, by identity: a flag that is cheap to look at.
        self.layers_with_losses: dict[int, weakref.ref] = {}
        # While shapes are inferred: which layers added a loss, and its dtype.
        self.inferred_losses: list[tuple[Any, Any]] = []

    def compute_dtype(self) -> Any:
        """The dtype in which autocast variables are read: that of the layer whose `call` runs.

        None if no `call` runs, or its layer does not compute with floats.
        """
        for layer in reversed(self.layers):
            if layer is not self.building:
                dtype = layer._dtype_policy.compute
                return dtype if dtype is not None and dtype.is_floating else None
        return None


context = CallContext()


class _Flagged:
    """A `with` block in which a flag of the context is set."""

    _flag: str

    def __enter__(self) -> None:
        self._before = getattr(context, self._flag)
        setattr(context, self._flag, True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        setattr(context, self._flag, self._before)


class apart(_Flagged):
    """A `with` block in which calls are no calls of the program's; see `CallContext.apart`."""

    _flag = "apart"


class inferring_shapes(_Flagged):
    """A `with` block in which layers run on tensors without values."""

    _flag = "inferring"
