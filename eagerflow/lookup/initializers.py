"""Keys and values of new tables: from tensors and from files of text."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import NotFoundError
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.sizes import may_equal
from eagerflow.ops.array import invalid_argument
from eagerflow.util.regular import read_regular

_ops = _core.ops
Tensor = _core.Tensor


def constant_of(values: Any, dtype: dtypes.DType) -> Tensor:
    """A tensor with a table's keys or values.

    In a function it is eager, unless its value depends on the run.
    """
    if isinstance(values, Tensor):
        known = _core.static_value(values)
        if known is None:
            return _core.convert(values, dtype and dtypes.as_dtype(dtype), None)
        values = known
    with eagerly():
        return _core.convert(values, dtype and dtypes.as_dtype(dtype), None)


class KeyValueTensorInitializer:
    """Keys and values of a table, from two vectors.

    Args:
        keys: a vector.
        values: a vector of the same length.
        key_dtype: the dtype of the keys.
        value_dtype: the dtype of the values.

    >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> init.key_dtype, init.value_dtype
    (tf.string, tf.int32)
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        self._keys = constant_of(keys, key_dtype)
        self._values = constant_of(values, value_dtype)

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of the keys."""
        return self._keys.dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._values.dtype

    def tensors(self) -> tuple[Tensor, Tensor]:
        """The keys and their values.

        Raises:
            tf.errors.InvalidArgumentError: if there are more or fewer keys than values.
        """
        if not may_equal(self._keys._shape_tuple(), self._values._shape_tuple()):
            raise invalid_argument(
                f"Expected shape {self._keys.shape.as_list()} for value, got "
                f"{self._values.shape.as_list()}"
            )
        return self._keys, self._values


class TextFileIndex:
    """Special column indices: the whole line, and its number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer:
    """Keys and values of a table, from the lines of a file.

    Args:
        filename: the file's path: text, a path object, a string tensor, or a `tf.saved_model.Asset`.
        key_dtype: the dtype of the keys, string or int64.
        key_index: the column of the keys, or a member of `tf.lookup.TextFileIndex`.
        value_dtype: the dtype of the values.
        value_index: the column of the values, or a member of `tf.lookup.TextFileIndex`.
        vocab_size: the number of lines to read; all by default.
        delimiter: the separator of columns.
        value_index_offset: added to line numbers.

    Raises:
        ValueError: for whole lines with a numeric dtype, or line numbers with dtype string.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: Any = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, Tensor):
            if not filename:
                raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
            if isinstance(filename, os.PathLike):
                filename = os.fspath(filename)
            filename = _core.convert(filename, dtypes.string, None)
        self._filename = filename
        self._key_dtype, self._value_dtype = (
            dtypes.as_dtype(key_dtype),
            dtypes.as_dtype(value_dtype),
        )
        self._key_index, self._value_index = key_index, value_index
        self._vocab_size = None if vocab_size is None else int(vocab_size)
        self._delimiter, self._offset = delimiter.encode(), value_index_offset
        for what, index, dtype in (
            ("Key", key_index, self._key_dtype),
            ("Value", value_index, self._value_dtype),
        ):
            if index == TextFileIndex.LINE_NUMBER and dtype is not dtypes.int64:
                raise ValueError(
                    f"`{what.lower()}_dtype` must be int64 if line numbers are the "
                    f"{what.lower()}s, received {dtype}"
                )
            if index == TextFileIndex.WHOLE_LINE and not (
                dtype is dtypes.string or (dtype.is_integer and what == "Key")
            ):
                raise ValueError(
                    f"`{what.lower()}_dtype` must be string if whole lines are the "
                    f"{what.lower()}s, received {dtype}"
                )
            if index < -2:
                raise ValueError(f"Invalid {what.lower()} index {index}.")

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._value_dtype

    def path(self) -> str:
        """The file's path."""
        return os.fsdecode(self._filename.numpy())

    def operation_attributes(self) -> dict[str, Any]:
        """The attributes of TensorFlow's operation `InitializeTableFromTextFileV2`."""
        return {
            "key_index": self._key_index,
            "value_index": self._value_index,
            "vocab_size": -1 if self._vocab_size is None else self._vocab_size,
            "delimiter": self._delimiter,
            "offset": self._offset,
        }

    def pairs(self) -> Iterable[tuple[Any, Any]]:
        """The keys with their values.

        Raises:
            tf.errors.NotFoundError: if there is no such file.
            tf.errors.InvalidArgumentError: if a line does not have the columns asked for.
        """
        path = self.path()
        try:
            lines = read_regular(path, None).split(b"\n")
        except FileNotFoundError:
            raise NotFoundError._of(f"{path}; No such file or directory") from None
        if lines and not lines[-1]:
            lines.pop()
        if self._vocab_size is not None:
            if self._vocab_size > len(lines):
                raise invalid_argument(
                    f"Invalid vocab_size in {path}: expected {self._vocab_size} but got "
                    f"{len(lines)}"
                )
            lines = lines[: self._vocab_size]
        for number, line in enumerate(lines):
            line = line.rstrip(b"\r")
            yield (
                self._field(line, number, self._key_index, self._key_dtype, path),
                self._field(line, number, self._value_index, self._value_dtype, path),
            )

    def _field(self, line: bytes, number: int, index: int, dtype: dtypes.DType, path: str) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return number + self._offset
        if index == TextFileIndex.WHOLE_LINE:
            text = line
        else:
            columns = line.split(self._delimiter)
            if index >= len(columns):
                raise invalid_argument(
                    f"Invalid number of columns in {path} line {number} "
                    f"({line.decode('utf-8', 'replace')}) : expected at least {index + 1} got "
                    f"{len(columns)}"
                )
            text = columns[index]
        if dtype is dtypes.string:
            return text
        try:
            return float(text) if dtype.is_floating else int(text)
        except ValueError:
            raise invalid_argument(
                f"Field {text.decode('utf-8', 'replace')} in line {number} is not a valid "
                f"{dtype.name}."
            ) from None


def _joined(values: list[Any], dtype: dtypes.DType, shape: tuple[int, ...]) -> Tensor:
    array = np.empty(len(values), dtype.as_numpy_dtype)
    array[:] = values
    return _core.convert(array.reshape(shape), dtype, None)


def contents_of(initializer: Any) -> tuple[Tensor, Tensor]:
    """The keys and values of a new table."""
    if isinstance(initializer, KeyValueTensorInitializer):
        return initializer.tensors()
    pairs = list(initializer.pairs())
    keys, values = ([pair[side] for pair in pairs] for side in (0, 1))
    count = (len(pairs),)
    return (
        _joined(keys, initializer.key_dtype, count),
        _joined(values, initializer.value_dtype, count),
    )
