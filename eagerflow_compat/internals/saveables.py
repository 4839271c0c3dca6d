"""tensorflow.python.training.saver: the parts of what one object saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

__all__ = ["BaseSaverBuilder", "SaveSpec", "SaveableObject", "legacy_saveable_name"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


class SaveSpec:
    """One tensor of what is saved.

    Args:
        tensor: the tensor, or a function that returns it.
        slice_spec: which part of a larger one it is.
        name: its name in the checkpoint.
        dtype: its dtype.
        device: where it is.
    """

    def __init__(
        self, tensor: Any, slice_spec: Any, name: str, dtype: Any = None, device: Any = None
    ) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        self.dtype = dtype if dtype is not None else self.tensor.dtype
        self.device = device

    @property
    def tensor(self) -> Any:
        """The tensor."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Base class of what a checkpoint has of an object.

    Args:
        op: the object.
        specs: its tensors.
        name: its name in the checkpoint.
    """

    def __init__(self, op: Any, specs: Sequence[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Any) -> Any:
        """An operation that gives the object the tensors of a checkpoint."""
        raise NotImplementedError(f"{type(self).__name__} restores nothing.")


class BaseSaverBuilder:
    """What version 1 makes savers with; here it only has the classes of what they save."""

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject


def legacy_saveable_name(name: str) -> Callable[[_Method], _Method]:
    """A decorator that leaves a method as it is.

    Args:
        name: the name of the object in checkpoints of version 1.
    """

    def unchanged(method: _Method) -> _Method:
        return method

    return unchanged
