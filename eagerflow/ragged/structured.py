"""StructuredTensor: records with named fields, in nested lists of any lengths."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.extension_types.batching import (
    BatchableExtensionType,
    ExtensionTypeBatchEncoder,
    batched_spec,
    unbatched_spec,
)
from eagerflow.extension_types.fields import SpecDict
from eagerflow.framework.array_indexing import VALID_INDICES
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import checked_axis
from eagerflow.ops.array import invalid_argument
from eagerflow.ragged.arrangement import merge_dims
from eagerflow.ragged.construction import constant
from eagerflow.ragged.dynamic_shape import DynamicRaggedShape
from eagerflow.ragged.row_partition import RowPartition, RowPartitionSpec
from eagerflow.ragged.tensor import RaggedTensor

Tensor = _core.Tensor
_INDENT = "\n            "


class _RecordEncoder(ExtensionTypeBatchEncoder):
    """Stacks the fields; the shape follows from theirs."""

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        fields = {key: batched_spec(item, batch_size) for key, item in spec._fields.items()}
        return _spec(fields, spec._ragged_shape.rank + 1, batch_size)

    def unbatch(self, spec: Any) -> Any:
        fields = {key: unbatched_spec(item) for key, item in spec._fields.items()}
        inner = spec._ragged_shape._static_inner_shape
        size = inner[1] if len(inner) > 1 and not spec._ragged_shape.row_partitions else None
        return _spec(fields, spec._ragged_shape.rank - 1, size)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> list:
        return [value._fields[key] for key in sorted(spec._fields)]

    def encoding_specs(self, spec: Any) -> list:
        return [spec._fields[key] for key in sorted(spec._fields)]

    def decode(self, spec: Any, encoded_value: Any) -> StructuredTensor:
        values = dict(zip(sorted(spec._fields), encoded_value, strict=True))
        fields = {key: values[key] for key in spec._fields}
        result = StructuredTensor.from_fields_and_rank(fields, spec._ragged_shape.rank)
        # Rows of ragged fields are known to be that, though they are dense.
        result.__dict__["_tf_extension_type_cached_type_spec"] = spec
        return result


def _spec(fields: Mapping[str, Any], rank: int, size: int | None) -> Any:
    """A spec of records in nested lists."""
    partitions = [RowPartitionSpec(size if k == 0 else None) for k in range(rank - 1)]
    inner = [] if not rank else [size if rank == 1 else None]
    shape = DynamicRaggedShape.Spec(partitions, inner, "int64")
    return StructuredTensor.Spec._of({"_fields": SpecDict(fields), "_ragged_shape": shape})


class StructuredTensor(BatchableExtensionType):
    """Records with named fields, in nested lists of any lengths.

    Every field is a dense or ragged tensor or a StructuredTensor, whose first axes are those of the
    records. Create one by `from_pyval`, `from_fields` or `from_shape`.

    Args:
        fields: the values by name.
        ragged_shape: the shape of the records.

    >>> people = tf.experimental.StructuredTensor.from_pyval(
    ...     [{"age": 32, "likes": ["tea"]}, {"age": 7, "likes": ["ice", "dogs"]}]
    ... )
    >>> people.field_value("likes")
    <tf.RaggedTensor [[b'tea'], [b'ice', b'dogs']]>
    >>> people[1].to_pyval()
    {'age': np.int32(7), 'likes': [b'ice', b'dogs']}
    """

    _fields: Mapping[str, typing.Union[StructuredTensor, Tensor, RaggedTensor]]  # noqa: UP007
    _ragged_shape: DynamicRaggedShape

    FieldName = typing.Union[str, Sequence[str]]  # noqa: UP007
    __batch_encoder__ = _RecordEncoder()

    def __init__(self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape) -> None:
        self._fields = fields
        self._ragged_shape = ragged_shape

    @classmethod
    def from_fields(
        cls,
        fields: Mapping[str, Any],
        shape: Any = (),
        nrows: Any = None,
        row_partitions: Any = None,
        validate: bool = False,
    ) -> StructuredTensor:
        """From values by name.

        Args:
            fields: tensors, ragged ones or StructuredTensors, or what can be converted to tensors.
            shape: the shape of the records, whose rank must be known; () for one record.
            nrows: the number of records, needed if there are no fields.
            row_partitions: how records are divided into nested lists, if there are no fields.
            validate: ignored: shapes are always compared.

        Raises:
            TypeError: if a name is no string.
            ValueError: if the rank is unknown or shapes differ.

        >>> tf.experimental.StructuredTensor.from_fields({"x": [1, 2]}, shape=[2]).to_pyval()
        [{'x': 1}, {'x': 2}]
        """
        static = TensorShape(shape)
        if static.rank is None:
            raise ValueError("StructuredTensor's shape must have known rank.")
        values = {}
        for key, value in fields.items():
            if not isinstance(key, str):
                raise TypeError(f"Unexpected type for key in `fields`: {key!r}")
            values[key] = _as_value(value)
        shape_of_records: DynamicRaggedShape | None = None
        if row_partitions:
            shape_of_records = DynamicRaggedShape.from_row_partitions(list(row_partitions))
        elif nrows is not None and static.rank:
            shape_of_records = DynamicRaggedShape([], [int(nrows), *static.as_list()[1:]])
        for key, value in values.items():
            if len(value.shape) < static.rank:
                raise ValueError(f"Error in shape of {key}")
            own = _shape_of(value)[: static.rank]
            if shape_of_records is not None and _lengths(own) != _lengths(shape_of_records):
                raise ValueError(f"Error in shape of {key}")
            if (
                shape_of_records is None
                or own.num_row_partitions > shape_of_records.num_row_partitions
            ):
                shape_of_records = own
        if shape_of_records is None:
            shape_of_records = DynamicRaggedShape([], [size or 0 for size in static])
        result = cls(values, shape_of_records)
        if not static.is_compatible_with(result.shape):
            raise ValueError(f"Shapes {static} and {result.shape} are not compatible")
        return result

    @classmethod
    def from_fields_and_rank(
        cls, fields: Mapping[str, Any], rank: int, validate: bool = False, dtype: Any = None
    ) -> StructuredTensor:
        """From at least one field, and the number of axes that fields share.

        Raises:
            ValueError: if there are no fields, or one has fewer axes.
        """
        if not fields:
            raise ValueError("Must provide at least one field")
        if not isinstance(rank, int):
            raise ValueError("rank must be an integer")
        if rank < 0:
            raise ValueError("rank must be nonnegative")
        result = cls.from_fields(fields, [None] * rank)
        return result if dtype is None else result.with_shape_dtype(dtype)

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Records without fields."""
        return cls({}, ragged_shape)

    @classmethod
    def from_pyval(cls, pyval: Any, typespec: Any = None) -> Any:
        """From nested lists of dictionaries; lists of other values become tensors.

        Args:
            pyval: a dictionary, or nested lists of dictionaries with the same keys.
            typespec: a spec that the result must fit.

        Raises:
            KeyError: if a dictionary lacks a key.
            ValueError: if dictionaries and other values are mixed.
            TypeError: if the result does not fit the spec.

        >>> tf.experimental.StructuredTensor.from_pyval([[{"a": 1}], []]).shape
        TensorShape([2, None])
        """
        result = cls._from_pyval(pyval, ())
        if typespec is not None and not typespec.is_compatible_with(result):
            raise TypeError(f"The value {result!r} does not fit {typespec!r}")
        return result

    @classmethod
    def _from_pyval(cls, pyval: Any, path: tuple) -> Any:
        if isinstance(pyval, dict):
            fields = {key: cls._from_pyval(item, (*path, key)) for key, item in pyval.items()}
            return cls.from_fields(fields)
        keys: dict[str, None] = {}
        depth = _depth_of_records(pyval, keys) if isinstance(pyval, list | tuple) else None
        if depth is None:
            try:
                return _constant(pyval)
            except (TypeError, ValueError) as error:
                raise ValueError(f"Error parsing path {path}") from error
        if not keys:
            return cls.from_shape(_shape_of_lists(pyval, depth))
        fields = {
            key: cls._from_pyval(_mapped(pyval, lambda item, key=key: item[key]), (*path, key))
            for key in keys
        }
        return cls.from_fields(fields, [None] * depth)

    @property
    def rank(self) -> int:
        """The number of axes of the records."""
        return self._ragged_shape.rank

    @property
    def shape(self) -> TensorShape:
        """The shape of the records, with None for ragged axes."""
        return TensorShape(self._ragged_shape.static_lengths(ragged_lengths=False))

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """How the records are divided into nested lists, the outermost first."""
        shape = self._ragged_shape
        partitions = list(shape.row_partitions)
        inner = list(shape._inner)
        rows = inner[0] if inner else 0
        for size in inner[1:]:
            partitions.append(
                RowPartition.from_uniform_row_length(size, nrows=rows, dtype=shape.dtype)
            )
            rows *= size
        return tuple(partitions)

    def nrows(self) -> Any:
        """The number of rows; None for one record."""
        return self._ragged_shape[0] if self.rank else None

    def field_names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name: Any) -> Any:
        """The value of a field, or of a nested field by a sequence of names.

        Raises:
            KeyError: if there is no such field.
        """
        if isinstance(field_name, list | tuple):
            value: Any = self
            for name in field_name:
                if not isinstance(value, StructuredTensor):
                    raise KeyError(f"Field path {field_name} not found in {self}")
                value = value.field_value(name)
            return value
        return self._fields[field_name]

    def with_updates(self, updates: Mapping[Any, Any], validate: bool = False) -> StructuredTensor:
        """The same records with changed, added or removed fields.

        Args:
            updates: for names, or sequences of names: the new value, a function of the old one, or
                None for fields to remove.
            validate: ignored: shapes are always compared.

        Raises:
            ValueError: if a field to change or remove is absent, or shapes differ.
        """
        result = self
        for key, value in updates.items():
            path = (key,) if isinstance(key, str) else tuple(key)
            result = result._with_update(path, value, path)
        return result

    def _with_update(self, path: tuple, value: Any, whole: tuple) -> StructuredTensor:
        fields = dict(self._fields)
        name, *rest = path
        if rest:
            inner = fields.get(name)
            if not isinstance(inner, StructuredTensor):
                raise ValueError(
                    f"`StructuredTensor.with_updates` cannot update {whole} because {name!r} is no "
                    "structure."
                )
            fields[name] = inner._with_update(tuple(rest), value, whole)
        elif value is None or callable(value):
            if name not in fields:
                what = "delete" if value is None else "update"
                raise ValueError(
                    f"`StructuredTensor.with_updates` cannot {what} field {whole} because it is not "
                    "present."
                )
            old = fields.pop(name)
            if value is not None:
                fields = {k: value(old) if k == name else v for k, v in self._fields.items()}
        else:
            fields[name] = value
        if not fields:
            return type(self)({}, self._ragged_shape)
        try:
            result = type(self).from_fields(fields, [None] * self.rank)
        except ValueError as error:
            raise ValueError("`StructuredTensor.with_updates` failed") from error
        if _lengths(result._ragged_shape) != _lengths(self._ragged_shape):
            raise ValueError("`StructuredTensor.with_updates` failed")
        return result

    def promote(self, source_path: Sequence[str], new_name: str) -> StructuredTensor:
        """The same with a field inside also as a field of the structure two levels up.

        Its values of all records inside follow each other.

        Raises:
            ValueError: if the path has fewer than two names.

        >>> texts = tf.experimental.StructuredTensor.from_pyval(
        ...     [{"parts": [{"words": [1, 2]}, {"words": [3]}]}]
        ... )
        >>> texts.promote(("parts", "words"), "all").field_value("all")
        <tf.RaggedTensor [[1, 2, 3]]>
        """
        path = tuple(source_path)
        if len(path) < 2:
            raise ValueError("source_path must have length at least two")
        value = self.field_value(path)
        outer = self.field_value(path[:-2]).rank
        inner = min(self.field_value(path[:-1]).rank, len(value.shape) - 1)
        if inner > outer:
            value = _merged(value, outer, inner)
        return self.with_updates({(*path[:-2], new_name): value})

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """The same records with the axes from `outer_axis` to `inner_axis` joined into one.

        Raises:
            ValueError: if there are no such axes.
        """
        outer = checked_axis(outer_axis, self.rank, "outer_axis")
        inner = checked_axis(inner_axis, self.rank, "inner_axis")
        if outer > inner:
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis "
                f"({inner_axis})"
            )
        if outer == inner:
            return self
        return self._each(lambda value: _merged(value, outer, inner), self.rank - (inner - outer))

    def partition_outer_dimension(self, row_partition: RowPartition) -> StructuredTensor:
        """The same records with the first axis divided into rows.

        Raises:
            ValueError: if there is one record only.
            tf.errors.InvalidArgumentError: if the partition has another number of values.
        """
        if not self.rank:
            raise ValueError("Shape () must have rank at least 1")
        count, records = row_partition.splits[-1], int(self._ragged_shape[0])
        if count != records:
            raise invalid_argument(
                f"The partition has {count} values, but there are {records} records"
            )
        return self._each(lambda value: _divided(value, row_partition), self.rank + 1)

    def _each(self, function: Callable, rank: int) -> StructuredTensor:
        """The result of a function for each field, of that many common axes."""
        if self._fields:
            fields = {key: function(value) for key, value in self._fields.items()}
            return type(self).from_fields(fields, [None] * rank)
        shape = self._ragged_shape
        template = shape._divided(_core.ops.zeros(shape._inner, "int8"))
        return type(self)({}, DynamicRaggedShape.from_tensor(function(template)))

    def with_shape_dtype(self, dtype: Any) -> StructuredTensor:
        """The same with a shape of int32 or int64."""

        def converted(value: Any) -> Any:
            if isinstance(value, RaggedTensor):
                return value.with_row_splits_dtype(dtype)
            if isinstance(value, StructuredTensor):
                return value.with_shape_dtype(dtype)
            return value

        fields = {key: converted(value) for key, value in self._fields.items()}
        return type(self)(fields, self._ragged_shape.with_dtype(dtype))

    def __getitem__(self, key: Any) -> Any:
        """Records by their indices, a field by its name, or its parts by the indices after the name."""
        keys = key if isinstance(key, tuple) else (key,)
        if any(item is Ellipsis for item in keys):
            raise ValueError("Slicing not supported for Ellipsis")
        indices, rest = keys[: self.rank], keys[self.rank :]
        for item in indices:
            if isinstance(item, str) or item is None:
                raise TypeError(f"{VALID_INDICES}, got {item!r}")
        if indices and not isinstance(indices[0], slice):
            rows = int(self._ragged_shape[0])
            if not -rows <= int(indices[0]) < rows:
                raise IndexError(f"Row key {int(indices[0])} out of bounds")
        single = sum(not isinstance(item, slice) for item in indices)
        result = self._each(lambda value: value[indices], self.rank - single) if indices else self
        if not rest:
            return result
        name, *inner = rest
        if name == slice(None) and not inner:
            return result
        if not isinstance(name, str):
            raise ValueError(
                "Key for indexing a StructuredTensor must be a string or a full slice (':')"
            )
        value = result.field_value(name)
        return value[(slice(None),) * result.rank + tuple(inner)] if inner else value

    def to_pyval(self) -> Any:
        """Nested lists of dictionaries.

        >>> tf.experimental.StructuredTensor.from_pyval([{"a": [1, 2]}, {"a": []}]).to_pyval()
        [{'a': [1, 2]}, {'a': []}]
        """
        values = {key: _pyval(value) for key, value in self._fields.items()}
        if not self.rank:
            return values
        if not values:
            shape = self._ragged_shape
            template = shape._divided(_core.ops.zeros(shape._inner, "int8"))
            return _mapped(_pyval(template), lambda item: {})
        return _zipped(values, self.rank)

    def __repr__(self) -> str:
        lines = []
        for name in sorted(self._fields):
            value = self._fields[name]
            text = str(value) if isinstance(value, Tensor) else repr(value)
            shown = text.replace("\n", _INDENT)
            lines.append(f'"{name}": {shown}')
        fields = ",\n        ".join(lines)
        return f"<StructuredTensor(\n    fields={{\n        {fields}}},\n    shape={self.shape})>"


def _as_value(value: Any) -> RaggedTensor | StructuredTensor | Tensor:
    if isinstance(value, RaggedTensor | StructuredTensor):
        return value
    return _core.as_tensor(value)


def _shape_of(value: Any) -> DynamicRaggedShape:
    if isinstance(value, StructuredTensor):
        return value._ragged_shape
    return DynamicRaggedShape.from_tensor(value)


def _lengths(shape: DynamicRaggedShape) -> list[tuple]:
    """The sizes along all axes, one for each row of the axis before."""
    lengths: list[tuple] = []
    count = 1
    for size in shape.static_lengths():
        row = size if isinstance(size, tuple) else (size,) * count
        lengths.append(row)
        count = sum(row)
    return lengths


def _merged(value: Any, outer: int, inner: int) -> Any:
    if isinstance(value, StructuredTensor):
        return value.merge_dims(outer, inner)
    return merge_dims(value, outer, inner)


def _divided(value: Any, partition: RowPartition) -> Any:
    if isinstance(value, StructuredTensor):
        return value.partition_outer_dimension(partition)
    if isinstance(value, RaggedTensor):
        value = value.with_row_splits_dtype(partition.dtype)
    return RaggedTensor._of(value, partition)


def _pyval(value: Any) -> Any:
    if isinstance(value, StructuredTensor):
        return value.to_pyval()
    if isinstance(value, RaggedTensor):
        return value.to_list()
    array = value.numpy()
    return array.tolist() if isinstance(array, np.ndarray) and array.ndim else array


def _zipped(fields: Mapping[str, Any], depth: int) -> list:
    """Nested lists of dictionaries from a dictionary of nested lists."""
    count = len(next(iter(fields.values())))
    rows = [{key: value[k] for key, value in fields.items()} for k in range(count)]
    return rows if depth == 1 else [_zipped(row, depth - 1) for row in rows]


def _mapped(nested: Any, function: Callable) -> Any:
    """Maps a function over the items of nested lists."""
    if isinstance(nested, list | tuple):
        return [_mapped(item, function) for item in nested]
    return function(nested)


def _depth_of_records(nested: Any, keys: dict[str, None]) -> int | None:
    """How deep dictionaries are nested in lists, None if there are none; notes their keys.

    Raises:
        ValueError: if other values are among them.
    """
    depths = set()
    for item in nested:
        if isinstance(item, dict):
            keys.update(dict.fromkeys(item))
            depths.add(1)
        elif isinstance(item, list | tuple):
            inner = _depth_of_records(item, keys)
            if inner is not None:
                depths.add(inner + 1)
            elif item:
                depths.add(0)
        else:
            depths.add(0)
    if len(depths) > 1:
        raise ValueError("Expected dict or nested list/tuple of dict")
    return (depths.pop() or None) if depths else None


def _shape_of_lists(nested: Any, depth: int) -> DynamicRaggedShape:
    template = _constant(_mapped(nested, lambda item: 0))
    return _shape_of(template)[:depth]


def _constant(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        return _core.as_tensor(value)
    return constant(value)
