"""The context of a running layer: the layers around it, and what they were called with."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any

from eagerflow.framework.context import set_only_shapes
from eagerflow.framework.variable import Variable


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
        self.any_batch_size = False  # whether models are built for batches of all sizes


context = CallContext()
_phase = threading.local()


def learning_phase() -> Any:
    """1 or True if layers run in training mode by default, else 0."""
    return getattr(_phase, "value", 0)


def learning_phase_is_set() -> bool:
    """Whether a program has chosen the learning phase."""
    return hasattr(_phase, "value")


def set_learning_phase(value: Any) -> None:
    """Sets the mode of layers that are called without `training`: 0 for inference, 1 for training.

    Raises:
        ValueError: for other integers.
    """
    if isinstance(value, int) and value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _phase.value = value


def clear_learning_phase() -> None:
    """Forgets what `set_learning_phase` has set."""
    if learning_phase_is_set():
        del _phase.value


def _unless_inferring(assign: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a method that assigns, so that variables keep their values while shapes are inferred.

    Assignments in `build` are carried out even then.
    """

    @functools.wraps(assign)
    def assign_unless(self: Any, *args: Any, **kwargs: Any) -> Any:
        if context.inferring and not context.building:
            return self
        return assign(self, *args, **kwargs)

    return assign_unless


_ASSIGNING = {
    name: _unless_inferring(getattr(Variable, name))
    for name in ("assign", "assign_add", "assign_sub")
}


# Those that the class itself defines, to be restored.
_OWN = {name: vars(Variable)[name] for name in _ASSIGNING if name in vars(Variable)}


class _Inferences:
    """The number of running inferences in all threads."""

    count = 0
    lock = threading.Lock()


class inferring_shapes:
    """A `with` block in which layers run on tensors without values."""

    def __enter__(self) -> None:
        self._before = context.inferring, set_only_shapes(True)
        context.inferring = True
        # Patched only meanwhile, so that other assignments need not check.
        with _Inferences.lock:
            _Inferences.count += 1
            if _Inferences.count == 1:
                for name, method in _ASSIGNING.items():
                    setattr(Variable, name, method)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        context.inferring, before = self._before
        set_only_shapes(before)
        with _Inferences.lock:
            _Inferences.count -= 1
            if not _Inferences.count:
                for name in _ASSIGNING:
                    if name in _OWN:
                        setattr(Variable, name, _OWN[name])
                    else:
                        delattr(Variable, name)


def is_inferring() -> bool:
    """Whether layers run on tensors without values, so that nothing may be assigned."""
    return context.inferring
