"""Transformations that put elements together: batch, padded_batch, unbatch, rebatch."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.data import structure
from eagerflow.data.arguments import LATE, UNKNOWN, boolean, integer, invalid, is_late, positive
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, DatasetSpec, UnaryDataset
from eagerflow.extension_types.batching import StackedByEncoder
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.batching import stack_tensors
from eagerflow.ragged.spec import RaggedTensorSpec, stack_rows
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import ShapeLike, Structure
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
plan = lazy.Module("eagerflow.data.plan")

_ops = _core.ops
Tensor = _core.Tensor


class GroupingDataset(UnaryDataset):
    """The base of datasets that batch a fixed number of consecutive elements."""

    def __init__(self, source: Dataset, batch_size: Any, drop_remainder: Any) -> None:
        super().__init__(source)
        self._size = positive(batch_size, "batch_size", "Batch size must be greater than zero.")
        self._drop = boolean(drop_remainder, "drop_remainder")
        # The size of all batches; None if the last may be smaller, or the size is not known.
        self._static_size = self._size if self._drop is True and self._size is not LATE else None

    def _count(self) -> int:
        count = self._input._count()
        if count < 0:
            return count
        return count // self._size if self._drop else -(-count // self._size)

    def _details(self) -> str:
        return f"{self._size}, drop_remainder" if self._drop else str(self._size)


class BatchDataset(GroupingDataset):
    """Elements stacked along a new first axis."""

    def __init__(
        self, source: Dataset, batch_size: Any, drop_remainder: Any, calls: Any = None
    ) -> None:
        super().__init__(source, batch_size, drop_remainder)
        self._parallel = calls is not None

    def _cursor(self, context: Context) -> Cursor:
        planned = plan.batch_cursor(self, context)
        if planned is not None:
            return planned
        # TensorFlow fuses a map and a batch unless they are parallel.
        whole = context.fused and not self._parallel and self._input._is_map()
        return self._over(self._input._cursor(context), whole)

    def _over(self, source: Cursor, whole: bool = False) -> Cursor:
        """The cursor that stacks the elements of another cursor."""
        stack = source.row_stacker(self._size) or Stacker(self._input.element_spec)
        return BatchCursor(source, self._size, self._drop, whole, stack)

    def _make_spec(self) -> Structure:
        return structure.batched_spec(self._input.element_spec, self._static_size)

    def _how(self) -> str:
        return plan.batch_note(self)


class Stacker:
    """Stacks elements of one structure along a new first axis.

    Args:
        spec: the specs of the elements.
    """

    def __init__(self, spec: Any) -> None:
        self._pack = structure.packer_like(spec)
        leaves = structure.flatten(spec)
        dense = all(type(leaf) is TensorSpec for leaf in leaves)
        self._stack = stack_tensors if dense else self._stack_leaves
        # The specs of those leaves that batches hold as their specs say, not their values, by index.
        self._specs = {
            i: leaf
            for i, leaf in enumerate(leaves)
            if isinstance(leaf, RaggedTensorSpec | StackedByEncoder)
        }

    def __call__(self, elements: list[Any]) -> Any:
        """The batch of some elements.

        Raises:
            tf.errors.InvalidArgumentError: if shapes or dtypes differ.
        """
        if self._pack.is_plain:
            columns = self._pack.columns(elements)
        else:
            columns = list(map(list, zip(*map(structure.flatten, elements), strict=True)))
        return self._pack(list(map(self._stack, columns, itertools.count())))

    def _stack_leaves(self, leaves: list[object], component: int) -> Any:
        spec = self._specs.get(component)
        return stack_leaves(leaves, component) if spec is None else spec._stack(leaves)


class BatchCursor(InputCursor):
    """Collects elements and stacks them.

    After an error the next batch begins with the next element; with `whole`, where it would
    have begun without the error.
    """

    __slots__ = ("_drop", "_size", "_stack", "_whole")

    def __init__(
        self, source: Cursor, size: int, drop: bool, whole: bool, stack: Callable[[list[Any]], Any]
    ) -> None:
        self._input = source
        self._size = size
        self._drop = drop
        self._whole = whole
        self._stack = stack

    def __next__(self) -> Structure:
        elements: list[Any] = []
        try:
            elements.extend(islice(self._input, self._size))
        except Exception:
            if self._whole:
                self._pass_over(self._size - len(elements) - 1)
            raise
        if not elements or (self._drop and len(elements) < self._size):
            raise StopIteration
        return self._stack(elements)

    def _pass_over(self, count: int) -> None:
        for _ in range(count):
            with suppress(Exception):
                next(self._input)


def stack_leaves(leaves: list[object], component: int) -> Any:
    """Leaves of any kind stacked along a new first axis."""
    first = leaves[0]
    if isinstance(first, Tensor):
        return stack_tensors(leaves, component)
    if first is None:
        return None
    if isinstance(first, RaggedTensor):
        return stack_rows(leaves)
    return structure.spec_of_leaf(first)._stack(leaves)


class PaddedBatchDataset(GroupingDataset):
    """Elements padded to the same shape, then stacked."""

    def __init__(
        self, source: Dataset, batch_size: Any, shapes: Any, values: Any, drop_remainder: Any
    ) -> None:
        super().__init__(source, batch_size, drop_remainder)
        self._padding = _padding(source.element_spec, shapes, values)

    def _cursor(self, context: Context) -> Cursor:
        return PaddedBatchCursor(self._input._cursor(context), self)

    def _make_spec(self) -> Structure:
        spec = self._input.element_spec
        shapes = self._padding[0]
        size = self._static_size
        leaves = [
            leaf
            if not isinstance(leaf, TensorSpec)
            else TensorSpec(None if shape is None else [size, *shape], leaf.dtype)
            for leaf, shape in zip(structure.flatten(spec), shapes, strict=True)
        ]
        return structure.pack(spec, leaves)

    def _padded(self, elements: list[Structure]) -> Any:
        first = elements[0]
        shapes, values = self._padding
        if isinstance(first, Tensor):
            return _padded(elements, shapes[0], values[0], 0)
        columns = zip(*map(structure.flatten, elements), strict=True)
        padded = [
            _padded(list(column), shapes[i], values[i], i) for i, column in enumerate(columns)
        ]
        return structure.pack(first, padded)


def _padding(spec: Structure, shapes: Structure, values: object) -> tuple[list[Any], list[Any]]:
    """The padded sizes (None: as long as the longest) and padding values of each leaf."""
    leaves = structure.flatten(spec)
    for leaf in leaves:
        if isinstance(leaf, DatasetSpec):
            raise TypeError("`padded_batch` is not supported for datasets of datasets.")
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                "`padded_batch` is only supported for datasets that produce tensor elements but "
                "type spec of elements in the input dataset is not a subclass of TensorSpec: "
                f"`{leaf}`."
            )
    if shapes is None:
        for leaf in leaves:
            if leaf.shape.rank is None:
                raise ValueError(
                    "You must provide `padded_shapes` argument because component has unknown rank."
                )
        sizes = [tuple(leaf.shape) for leaf in leaves]
    else:
        leaf_shapes = structure.flatten_up_to(spec, shapes)
        sizes = [_padded_size(g, leaf) for g, leaf in zip(leaf_shapes, leaves, strict=True)]
    if values is None or not structure.is_nested(values):
        pads = [values] * len(leaves)
    else:
        pads = structure.flatten_up_to(spec, _with_leaves(spec, values))
    return sizes, [_padding_value(pad, leaf) for pad, leaf in zip(pads, leaves, strict=True)]


def _with_leaves(spec: Structure, values: object) -> Any:
    """Padding values in the form of the elements, where None may replace a structure."""
    if values is None:
        return structure.map_structure(lambda leaf: None, spec)
    if isinstance(spec, tuple) and isinstance(values, tuple) and len(spec) == len(values):
        return tuple(map(_with_leaves, spec, values))
    if isinstance(spec, dict) and isinstance(values, dict) and set(spec) == set(values):
        return {key: _with_leaves(spec[key], values[key]) for key in spec}
    return values


def _padded_size(size_argument: Any, leaf: Any) -> tuple[Any, ...]:
    asked = size_argument
    if isinstance(size_argument, list | tuple) and any(
        isinstance(size, list | tuple) for size in size_argument
    ):
        size_argument = _core.as_tensor(size_argument)
    if isinstance(size_argument, Tensor):
        if size_argument.dtype.is_floating:
            raise TypeError(
                f"Padded shape {asked} must be a `tf.int64` vector tensor, but its element type "
                f"was {size_argument.dtype.name}."
            )
        if size_argument.ndim != 1:
            raise ValueError(
                f"Padded shape {asked} must be a `tf.int64` vector tensor, but its shape was "
                f"{size_argument.shape}."
            )
        size_argument = size_argument.numpy().tolist()
    if isinstance(size_argument, (list, tuple)):
        size_argument = [None if size == -1 else size for size in size_argument]
    shape = TensorShape(size_argument)
    inner = leaf.shape
    if shape.rank is None:
        raise ValueError(
            f"The padded shape of a component must have a known rank, got {size_argument}."
        )
    if inner.rank is not None and inner.rank != shape.rank:
        raise ValueError(
            f"The padded shape {shape} is not compatible with the shape {inner} of the "
            "corresponding input component."
        )
    for wide, size in zip(shape, inner if inner.rank is not None else (), strict=False):
        if wide is not None and size is not None and size > wide:
            raise ValueError(
                f"The padded shape {shape} is not compatible with the shape {inner} of the "
                "corresponding input component."
            )
    return tuple(shape)


def _padding_value(value: object, leaf: TensorSpec) -> Any:
    if not isinstance(leaf, TensorSpec):
        return None
    dtype = leaf.dtype
    if value is None:
        return b"" if dtype is dtypes.string else dtype.as_numpy_dtype(0)
    tensor = value if isinstance(value, Tensor) else _core.convert(value, None, dtype)
    if tensor.ndim != 0:
        raise ValueError(f"The padding value should be a scalar, but its shape is {tensor.shape}.")
    if tensor.dtype is not dtype:
        raise TypeError(
            f"Mismatched type between padding value {value} and corresponding component: "
            f"{tensor.dtype.name} vs. {dtype.name}."
        )
    return tensor.numpy()


def _padded(tensors: list[Any], sizes: tuple[Any, ...], pad: Any, component: int) -> Tensor | None:
    first = tensors[0]
    if first is None:
        return None
    rank = len(sizes)
    shapes = [tensor._shape_tuple() for tensor in tensors]
    for shape in shapes:
        if len(shape) != rank:
            raise invalid(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{component}: expected rank {rank} but got element with rank {len(shape)}"
            )
    wanted = []
    for axis, size in enumerate(sizes):
        longest = max([shape[axis] for shape in shapes])
        if size is None:
            size = longest
        elif longest > size:
            raise errors.DataLossError._of(
                "Attempted to pad to a smaller size than the input element."
            )
        wanted.append(size)
    if shapes.count(shapes[0]) == len(shapes) and list(shapes[0]) == wanted:
        return stack_tensors(tensors, component)
    dtype = first.dtype
    result: np.ndarray
    if dtype is dtypes.string:
        result = np.full([len(tensors), *wanted], pad, dtype=object)
    elif pad == 0:
        result = np.zeros([len(tensors), *wanted], dtype.as_numpy_dtype)
    else:
        result = np.full([len(tensors), *wanted], pad, dtype.as_numpy_dtype)
    if rank == 1:
        for row, tensor, shape in zip(result, tensors, shapes, strict=True):
            row[: shape[0]] = tensor._numpy_view()
    else:
        for row, tensor, shape in zip(result, tensors, shapes, strict=True):
            row[tuple([slice(size) for size in shape])] = np.asarray(tensor)
    return _core.convert(result, dtype, None)


class PaddedBatchCursor(InputCursor):
    """Collects elements, pads and stacks them."""

    __slots__ = ("_dataset",)

    def __init__(self, source: Cursor, dataset: PaddedBatchDataset) -> None:
        self._input = source
        self._dataset = dataset

    def __next__(self) -> Structure:
        dataset = self._dataset
        elements = list(islice(self._input, dataset._size))
        if not elements or (dataset._drop and len(elements) < dataset._size):
            raise StopIteration
        return dataset._padded(elements)


class UnbatchDataset(UnaryDataset):
    """The slices of each element."""

    def __init__(self, source: Dataset) -> None:
        super().__init__(source)
        structure.unbatched_spec(source.element_spec)

    def _cursor(self, context: Context) -> Cursor:
        return UnbatchCursor(self._input._cursor(context), self._input)

    def _make_spec(self) -> Structure:
        return structure.unbatched_spec(self._input.element_spec)

    def _count(self) -> int:
        count = self._input._count()
        if count < 0:
            return count
        for leaf in structure.flatten(self._input.element_spec):
            dense = isinstance(leaf, TensorSpec) or hasattr(leaf, "ragged_rank")
            size = leaf.shape.as_list()[0] if dense and leaf.shape.rank else None
            if size is not None:
                return count * size
        return UNKNOWN


def _length(column: Any) -> int:
    if isinstance(column, Tensor):
        return column._shape_tuple()[0]
    return int(column.shape[0] or 0)


class UnbatchCursor(InputCursor):
    """Yields the slices of each element."""

    __slots__ = ("_dataset", "_element", "_index", "_leaves", "_size")

    def __init__(self, source: Cursor, dataset: Dataset) -> None:
        self._input = source
        self._dataset = dataset
        self._element: Any = None
        self._leaves: list[Any] = []
        self._index = self._size = 0

    def __next__(self) -> Structure:
        while self._index >= self._size:
            self._open(next(self._input))
        index = self._index
        self._index = index + 1
        if isinstance(self._element, Tensor):
            return self._element[index]
        parts = [None if leaf is None else leaf[index] for leaf in self._leaves]
        return structure.pack(self._element, parts)

    def _open(self, element: Structure) -> None:
        leaves = structure.flatten(element)
        columns = leaves if structure.only_plain(leaves) else list(map(structure.slices_of, leaves))
        sizes = []
        for column in columns:
            if column is None:
                continue
            if not len(column.shape):
                raise invalid("Input element must have a non-scalar value in each component.")
            sizes.append(_length(column))
        for size in sizes:
            if size != sizes[0]:
                raise invalid(
                    "Input element must have the same batch size in each component. Component 0 had "
                    f"size {sizes[0]} but component {sizes.index(size)} had size, {size}."
                )
        self._element = element
        self._leaves = columns
        self._index, self._size = 0, sizes[0] if sizes else 1

    def state(self) -> object:
        left = self._size - self._index
        rest = structure.flatten(self._element) if left else []
        return {"input": self._input.state(), "rest": rest, "index": self._index, "left": left}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._index = self._size = 0
        if state["left"]:
            self._open(structure.pack(self._dataset.element_spec, state["rest"]))
            self._index = state["index"]


class RebatchDataset(UnaryDataset):
    """Batches of other sizes."""

    def __init__(self, source: Dataset, batch_size: Any, drop_remainder: Any) -> None:
        super().__init__(source)
        if any(leaf.shape.rank == 0 for leaf in structure.flatten(source.element_spec)):
            raise ValueError(
                "A dataset of scalars has no batches to make others of: batch it first."
            )
        sizes = _core.convert(batch_size, None, dtypes.int64)
        if not sizes.dtype.is_integer or sizes.ndim > 1:
            raise TypeError("`batch_size` must be an integer or a vector of integers.")
        late = is_late(sizes)
        self._sizes = [] if late else [int(size) for size in np.ravel(sizes.numpy())]
        if not late and (not self._sizes or min(self._sizes) <= 0):
            raise invalid(f"Batch size must be greater than zero. Got {self._sizes}.")
        self._drop = boolean(drop_remainder, "drop_remainder")

    def _cursor(self, context: Context) -> Cursor:
        source = UnbatchCursor(self._input._cursor(context), self._input)
        stack = Stacker(structure.unbatched_spec(self._input.element_spec))
        return RebatchCursor(source, self._sizes, self._drop, stack)

    def _make_spec(self) -> Structure:
        inner = structure.unbatched_spec(self._input.element_spec)
        size = self._sizes[0] if len(set(self._sizes)) == 1 else None
        if size is not None and self._drop is not True:
            # The size is known only if each input batch is split without a smaller remainder.
            leaves = structure.flatten(self._input.element_spec)
            known = [leaf.shape[0] for leaf in leaves if leaf.shape.rank]
            size = size if any(n is not None and n % size == 0 for n in known) else None
        return structure.batched_spec(inner, size)

    def _count(self) -> int:
        return UNKNOWN


class RebatchCursor(InputCursor):
    """Collects elements in alternating batch sizes."""

    __slots__ = ("_drop", "_sizes", "_stack", "_turn")

    def __init__(self, source: Cursor, sizes: list[int], drop: bool, stack: Stacker) -> None:
        self._input = source
        self._stack = stack
        self._sizes = sizes
        self._drop = drop
        self._turn = 0

    def __next__(self) -> Structure:
        size = self._sizes[self._turn]
        elements = list(islice(self._input, size))
        if not elements or (self._drop and len(elements) < size):
            raise StopIteration
        self._turn = (self._turn + 1) % len(self._sizes)
        return self._stack(elements)

    def state(self) -> object:
        return {"input": self._input.state(), "turn": self._turn}

    def restore(self, state: Any) -> None:
        self._input.restore(state["input"])
        self._turn = state["turn"]


def checked_row_shape(shape: ShapeLike) -> list[Any]:
    """A fully known shape as a list.

    Raises:
        ValueError: if a size is not known.
    """
    sizes = TensorShape(shape)
    sizes.assert_is_fully_defined()
    return [integer(size, "row_shape") for size in sizes]
