"""The value of a ragged tensor as arrays: the form in which sessions of version 1 return and accept it."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import nest
from eagerflow.framework import context
from eagerflow.ragged import construction
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import DTypeLike, ShapeLike


class RaggedTensorValue:
    """The elements and row splits of a ragged tensor, both as NumPy arrays.

    Args:
        values: an array of the elements of all rows, or, where rows are ragged too, another
            RaggedTensorValue.
        row_splits: int32 or int64, of rank 1: row `i` is `values[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        TypeError: if `row_splits` has another dtype, or `values` is neither.
        ValueError: if `row_splits` has another rank.

    >>> rows = tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    >>> rows
    tf.RaggedTensorValue(values=array([1, 2, 3]), row_splits=array([0, 2, 2, 3]))
    >>> rows.to_list()
    [[1, 2], [], [3]]
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not isinstance(row_splits, np.ndarray | np.generic) or row_splits.dtype not in (
            np.int64,
            np.int32,
        ):
            raise TypeError("row_splits must be a NumPy array of int32 or int64")
        if row_splits.ndim != 1:
            raise ValueError(f"row_splits must have rank 1, not {row_splits.ndim}")
        if not isinstance(values, np.ndarray | np.generic | RaggedTensorValue):
            raise TypeError(
                f"values must be a NumPy array or a RaggedTensorValue, not {type(values).__name__}"
            )
        self._values: Any = values
        self._row_splits: np.ndarray = np.asarray(row_splits)

    @classmethod
    def of(cls, ragged: RaggedTensor) -> RaggedTensorValue:
        """Converts an eager ragged tensor."""
        values = ragged.values
        inner = cls.of(values) if isinstance(values, RaggedTensor) else values.numpy()
        return cls(inner, ragged.row_splits.numpy())

    def to_tensor_value(self) -> RaggedTensor:
        """The ragged tensor with this value."""
        with context.running_eagerly():
            return RaggedTensor.from_nested_row_splits(self.flat_values, self.nested_row_splits)

    @property
    def values(self) -> Any:
        """The rows' elements, without the outermost division into rows."""
        return self._values

    @property
    def row_splits(self) -> np.ndarray:
        """Where rows begin and end."""
        return self._row_splits

    @property
    def flat_values(self) -> np.ndarray:
        """The innermost values, without any division into rows."""
        nested = isinstance(self._values, RaggedTensorValue)
        return self._values.flat_values if nested else self._values

    @property
    def nested_row_splits(self) -> tuple[np.ndarray, ...]:
        """The row splits of all ragged axes, the outermost first."""
        nested = isinstance(self._values, RaggedTensorValue)
        return (self._row_splits, *(self._values.nested_row_splits if nested else ()))

    @property
    def dtype(self) -> np.dtype:
        """The dtype of the elements, NumPy's."""
        return self._values.dtype

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple:
        """The sizes, None for ragged axes."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return self.to_tensor_value()._type_spec

    def __op_function__(self, function: Any, args: tuple, kwargs: dict[str, object]) -> Any:
        converted = nest.map_structure(_as_tensor, (args, kwargs))
        return function(*converted[0], **converted[1])

    def to_list(self) -> list:
        """Nested lists."""
        nested = isinstance(self._values, RaggedTensorValue)
        items = self._values.to_list() if nested else self._values.tolist()
        splits = self._row_splits.tolist()
        return [items[a:b] for a, b in zip(splits, splits[1:], strict=False)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"


def _as_tensor(value: object) -> object:
    """The ragged tensor of a RaggedTensorValue; other arguments as they are."""
    return value.to_tensor_value() if isinstance(value, RaggedTensorValue) else value


def constant_value(
    pylist: Any,
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: ShapeLike | None = None,
    row_splits_dtype: DTypeLike = "int64",
) -> RaggedTensorValue:
    """The RaggedTensorValue of nested lists, as of `tf.ragged.constant`.

    Returns:
        A RaggedTensorValue, or a NumPy array if no axis is ragged.

    >>> tf.compat.v1.ragged.constant_value([[1, 2], [], [3]]).to_list()
    [[1, 2], [], [3]]
    """
    with context.running_eagerly():
        made = construction.constant(
            pylist, dtype, ragged_rank, inner_shape, row_splits_dtype=row_splits_dtype
        )
        return RaggedTensorValue.of(made) if isinstance(made, RaggedTensor) else made.numpy()
