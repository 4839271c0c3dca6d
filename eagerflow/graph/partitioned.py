"""Variables that are cut into parts along an axis, and are saved as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.framework import context
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike


class SaveSliceInfo(NamedTuple):
    """The part of a partitioned variable that a variable is.

    Args:
        full_name: the name of the whole, under which checkpoints have it.
        full_shape: its shape.
        var_offset: where the part begins, along each axis.
        var_shape: the shape of the part.
    """

    full_name: str
    full_shape: list[int]
    var_offset: list[int]
    var_shape: list[int]

    @classmethod
    def of_spec(cls, full_name: str, spec: str) -> SaveSliceInfo:
        """The part that a `spec` tells; "-" stands for a whole axis."""
        *sizes, ranges = spec.split(" ")
        full = [int(size) for size in sizes]
        parts = [
            (0, size) if part == "-" else tuple(map(int, part.split(",")))
            for part, size in zip(ranges.split(":"), full, strict=True)
        ]
        return cls(full_name, full, [start for start, _ in parts], [size for _, size in parts])

    @property
    def spec(self) -> str:
        """The shape of the whole, and the range along each axis, as checkpoints write them."""
        sizes = " ".join(map(str, self.full_shape))
        ranges = zip(self.var_offset, self.var_shape, strict=True)
        return f"{sizes} {':'.join(f'{start},{size}' for start, size in ranges)}"

    @property
    def place(self) -> tuple[slice, ...]:
        """The slices of the partitioned variable that the part covers."""
        ranges = zip(self.var_offset, self.var_shape, strict=True)
        return tuple(slice(start, start + size) for start, size in ranges)


class PartitionedVariable:
    """A variable that is the concatenation of its parts along an axis.

    Only the parts have values, and optimizers update the parts. Conversion to a tensor
    concatenates them.

    Args:
        name: the name of the whole.
        shape: its shape.
        dtype: its element type.
        variable_list: the parts, in order.
        partitions: into how many parts each axis is cut.

    >>> with tf.Graph().as_default():
    ...     cut = tf.compat.v1.fixed_size_partitioner(2)
    ...     v = tf.compat.v1.get_variable("v", [5, 3], partitioner=cut)
    >>> v.name, [part.name for part in v], [part.shape[0] for part in v]
    ('v', ['v/part_0:0', 'v/part_1:0'], [3, 2])
    """

    def __init__(
        self,
        name: str,
        shape: Any,
        dtype: DTypeLike,
        variable_list: Sequence[Any],
        partitions: Sequence[int],
    ) -> None:
        self._name, self._shape, self._dtype = name, TensorShape(shape), dtype
        self._variable_list, self._partitions = list(variable_list), list(partitions)

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return len(self._variable_list)

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def _partition_axes(self) -> list[int]:
        cut = [axis for axis, count in enumerate(self._partitions) if count > 1]
        return cut or [0]

    def as_tensor(self) -> Any:
        """The concatenated parts, as a tensor."""
        graph = context.building_graph()
        with name_scope("") if graph is None else graph.name_scope(None):
            if len(self._variable_list) == 1:
                return _core.ops.identity(self._variable_list[0], name=self._name)
            [axis] = self._partition_axes()
            return _core.ops.concat(self._variable_list, axis, name=self._name)

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
        return self.as_tensor()

    def _whole(self, values: Sequence[Any]) -> Any:
        """The value, an array, that those of the parts make.

        Raises:
            ValueError: if parts are missing.
        """
        sizes: Any = self._shape.as_list()
        whole = np.empty(sizes, values[0].dtype)
        if sum(value.size for value in values) != whole.size:
            raise ValueError(f"Variable {self._name} has other parts than {self._variable_list}.")
        for part, value in zip(self, values, strict=True):
            whole[part._save_slice_info.place] = value
        return whole

    def load(self, value: Any, session: Any = None) -> None:
        """Puts a value into a session."""
        for part in self:
            part.load(value[part._save_slice_info.place], session)

    def _apply(self, value: TensorLike, change: Callable[[Any, Any], Any]) -> list[Any]:
        """Changes each part by its part of a value."""
        if isinstance(value, PartitionedVariable):
            values = list(value)
        elif isinstance(value, list) and len(value) == len(self):
            values = value
        else:
            whole = _core.convert(value, self._dtype, None)
            values = [
                _core.ops.slice(whole, info.var_offset, info.var_shape)
                for info in (part._save_slice_info for part in self)
            ]
        return [change(part, own) for part, own in zip(self, values, strict=True)]

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> list[Any]:
        """Assigns a value to the parts, and returns the results of the assignments.

        Args:
            value: the new value: a tensor, a list with those of the parts, or another variable that
                is cut in the same way.
            read_value: as in the parts' `assign`.
        """
        return self._apply(value, lambda part, own: part.assign(own, use_locking, name, read_value))

    def assign_add(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> list[Any]:
        """Adds to the value; see `assign`."""
        return self._apply(
            value, lambda part, own: part.assign_add(own, use_locking, name, read_value)
        )

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> list[Any]:
        """Subtracts from the value; see `assign`."""
        return self._apply(
            value, lambda part, own: part.assign_sub(own, use_locking, name, read_value)
        )


def partitions_of(partitioner: object, shape: TensorShape, dtype: DTypeLike) -> list[int]:
    """Into how many parts a partitioner cuts each axis of a variable.

    Args:
        partitioner: a function of the shape and the dtype.
        shape: the shape of the variable.
        dtype: its element type.

    Raises:
        ValueError: if the partitioner is no function, or what it gives does not fit the shape.
    """
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    parts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(parts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {parts}")
    if len(parts) != shape.rank:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{parts} vs. {shape}"
        )
    if any(count < 1 for count in parts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {parts}")
    return list(parts)


def slices(name: str, shape: ShapeLike, parts: Sequence[int]) -> list[SaveSliceInfo]:
    """The parts of a variable; the first ones are longer by one where the axis is no multiple.

    Args:
        name: the name of the variable.
        shape: its shape.
        parts: into how many parts each axis is cut; one of these numbers may be more than 1.

    Raises:
        ValueError: if several axes are cut, or one into more parts than it has elements.
    """
    sizes: Any = TensorShape(shape).as_list()
    cut = [axis for axis, count in enumerate(parts) if count > 1]
    if len(cut) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {TensorShape(sizes)}, "
            f"partitioning: {parts}"
        )
    if not sizes:
        return [SaveSliceInfo(name, [], [], [])]
    axis = cut[0] if cut else 0
    count = parts[axis]
    if count > sizes[axis]:
        raise ValueError(f"Cannot cut {sizes[axis]} elements into {count} parts: {parts}")
    found, start = [], 0
    for number in range(count):
        length = sizes[axis] // count + (number < sizes[axis] % count)
        own, offset = list(sizes), [0] * len(sizes)
        own[axis], offset[axis] = length, start
        found.append(SaveSliceInfo(name, sizes, offset, own))
        start += length
    return found


def part_of(variable: _core.Variable) -> SaveSliceInfo | None:
    """The `SaveSliceInfo` of a variable; None if it is not a part."""
    return getattr(variable, "_save_slice_info", None)


def wholes(variables: Iterable[Any]) -> dict[str, Any]:
    """Variables by the names under which they are saved; parts of one are joined.

    Args:
        variables: variables, among which may be parts and partitioned ones.

    Raises:
        ValueError: if two variables have one name.
    """
    found: dict[str, Any] = {}
    parts: dict[str, list[Any]] = {}
    for item in variables:
        for variable in item if isinstance(item, PartitionedVariable) else [item]:
            info = part_of(variable)
            name = variable.name.partition(":")[0] if info is None else info.full_name
            if info is not None:
                parts.setdefault(name, []).append(variable)
                found.setdefault(name, None)
            elif found.setdefault(name, variable) is not variable:
                raise ValueError(f"At least two variables have the same name: {name}")
    for name, own in parts.items():
        if found[name] is not None:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = joined(own)
    return found


def joined(parts: Sequence[Any]) -> PartitionedVariable:
    """The variable that others are parts of, each once."""
    unique = list({id(part): part for part in parts}.values())
    unique.sort(key=lambda part: part._save_slice_info.var_offset)
    info = unique[0]._save_slice_info
    axes = zip(info.var_shape, info.full_shape, strict=True)
    partitions = [1 if own == full else len(unique) for own, full in axes]
    return PartitionedVariable(info.full_name, info.full_shape, unique[0].dtype, unique, partitions)


def parts_of(variable: _core.Variable) -> list[Any]:
    """The variables that hold the value of a variable: itself, or its parts."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]
