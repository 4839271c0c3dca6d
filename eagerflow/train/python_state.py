"""Objects of Python whose state checkpoints save as text."""

from __future__ import annotations

import abc

from eagerflow import _core
from eagerflow.checkpoint.trackable import Value
from eagerflow.framework import dtypes
from eagerflow.framework.trackable import Trackable

_ATTRIBUTE = "py_state"


class PythonState(Trackable, abc.ABC):
    """The base of objects that write their state as text and read it again.

    >>> class Counter(tf.train.experimental.PythonState):
    ...     count = 0
    ...
    ...     def serialize(self):
    ...         return str(self.count)
    ...
    ...     def deserialize(self, text):
    ...         self.count = int(text)
    >>> import tempfile
    >>> counter = Counter()
    >>> counter.count = 3
    >>> path = tf.train.Checkpoint(counter=counter).write(tempfile.mkdtemp() + "/counter")
    >>> restored = Counter()
    >>> _ = tf.train.Checkpoint(counter=restored).read(path)
    >>> restored.count
    3
    """

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """The state as text."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Takes on the state that `serialize` has written."""

    def _checkpoint_values(self) -> dict[str, Value]:
        return {_ATTRIBUTE: Value(self._text, self._read)}

    def _text(self) -> _core.Tensor:
        return _core.convert(self.serialize(), dtypes.string)

    def _read(self, text: _core.Tensor) -> None:
        self.deserialize(_core.as_tensor(text).numpy())
