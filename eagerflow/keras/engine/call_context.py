"""The context of a running layer: the layers around it, and what they were called with."""

from __future__ import annotations

import threading
import weakref
from types import TracebackType
from typing import Any

from eagerflow.framework.context import building_graph, process


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
phase = threading.local()  # its `value` is what has been set, outside of programs' graphs


def learning_phase() -> Any:
    """1 or True if layers run in training mode by default, else 0.

    In a program's graph, unless it has been set there, it is a tensor that is False if it is not fed.
    """
    graph = building_graph() if process.graphs_used else None
    return getattr(phase, "value", 0) if graph is None else graph.learning_phase()


def learning_phase_is_set() -> bool:
    """Whether a program has chosen the learning phase."""
    graph = building_graph()
    return hasattr(phase, "value") if graph is None else graph.set_phase is not None


def set_learning_phase(value: Any) -> None:
    """Sets the mode of layers that are called without `training`: 0 for inference, 1 for training.

    In a program's graph it is set for this graph alone.

    Raises:
        ValueError: for other integers.
    """
    if isinstance(value, int) and value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    graph = building_graph()
    if graph is None:
        phase.value = value
    else:
        graph.set_phase = value


def clear_learning_phase() -> None:
    """Forgets what `set_learning_phase` has set."""
    graph = building_graph()
    if graph is not None:
        graph.set_phase = None
    elif learning_phase_is_set():
        del phase.value


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
