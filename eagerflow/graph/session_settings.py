"""Settings of sessions about devices and memory, which have no effect here."""

from __future__ import annotations

import copy
from typing import Any


class _Message(list[Any]):
    """Named settings, a list or a map of them; those that are not set are empty."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> _Message:
        if name.startswith("__"):
            raise AttributeError(name)
        # Nested settings are made when they are first accessed.
        nested = self.__dict__[name] = _Message()
        return nested

    def HasField(self, field_name: str) -> bool:
        """Whether a setting, or one within it, has been set."""
        value = self.__dict__.get(field_name)
        if isinstance(value, _Message):
            return bool(len(value)) or any(map(value.HasField, value.__dict__))
        return value is not None

    def CopyFrom(self, other: _Message) -> None:
        """Takes on the settings of another message."""
        self.__dict__.clear()
        self.__dict__.update(copy.deepcopy(other.__dict__))
        self[:] = other

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, key) if isinstance(key, str) else super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self.__dict__[key] = value
        else:
            super().__setitem__(key, value)

    def __repr__(self) -> str:
        fields = [f"{key}={value!r}" for key, value in self.__dict__.items()]
        return f"{type(self).__name__}({', '.join([*map(repr, self), *fields])})"

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self) and self.__dict__ == other.__dict__ and super().__eq__(other)
        )

    __hash__ = None


class ConfigProto(_Message):
    """Settings of a session.

    >>> config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.allow_growth = True
    """


class GPUOptions(_Message):
    """Settings of the GPUs."""


class GraphOptions(_Message):
    """Settings of graphs' execution."""


class RewriterConfig(_Message):
    """Settings of the rewriting of graphs; accepted, as plans rewrite what they run."""

    DEFAULT, ON, OFF, AGGRESSIVE = range(4)
    NO_MEM_OPT, MANUAL = 1, 2
    TWO, ONE = 0, 1


class CallableOptions(_Message):
    """The feeds, targets and fetches of a session's callable, by names of tensors and operations."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self.feed: list[str] = []
        self.fetch: list[str] = []
        self.target: list[str] = []
        self.tensor_connection = _Connections()


class _Connections(list[Any]):
    """Tensors that replace others."""

    def add(self) -> Any:
        """A new connection, whose `from_tensor` and `to_tensor` are to be set."""
        self.append(TensorConnection())
        return self[-1]


class TensorConnection(_Message):
    """A tensor that replaces another in a run, by their names."""


class OptimizerOptions(_Message):
    """Settings of graphs' optimization."""

    L1, L0 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2


class RunOptions(_Message):
    """Settings of one run."""

    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3


class RunMetadata(_Message):
    """Metadata of a run, which is empty: runs of sessions are not traced."""

    def SerializeToString(self) -> bytes:
        """The bytes of an empty message."""
        return b""
