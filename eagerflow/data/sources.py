"""Sources whose elements are in memory, counted, or yielded by a Python generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.data import codec, structure
from eagerflow.data.arguments import INFINITE, UNKNOWN, integer, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import NoneTensorSpec, TensorSpec, TypeSpec
from eagerflow.ops.host_functions import error_of_python_code
from eagerflow.typing import DTypeLike, Structure
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
process_datasets = lazy.Module("eagerflow.data.process_datasets")

Tensor = _core.Tensor


class TensorDataset(Dataset):
    """One element."""

    def __init__(self, element: Any) -> None:
        super().__init__()
        self._element = structure.normalize(element)

    def _cursor(self, context: Context) -> Cursor:
        return list_cursor([self._element])

    def _make_spec(self) -> Structure:
        return structure.spec_of(self._element)

    def _count(self) -> int:
        return 1


class ListDataset(Dataset):
    """Elements from a Python list, all of the same structure."""

    def __init__(self, elements: Sequence[object]) -> None:
        super().__init__()
        self._elements = [structure.normalize(element) for element in elements]

    def _cursor(self, context: Context) -> Cursor:
        return list_cursor(self._elements)

    def _make_spec(self) -> Structure:
        spec = structure.spec_of(self._elements[0])
        for element in self._elements[1:]:
            spec = structure.merged_spec(spec, structure.spec_of(element))
        return spec

    def _count(self) -> int:
        return len(self._elements)

    def _to_parts(self) -> tuple[str, Any]:
        return "elements", self._elements


codec.register("elements", ListDataset)


class GroupDataset(ListDataset):
    """Some elements of another dataset, with its specs."""

    def __init__(self, elements: list[tuple[Tensor, Tensor] | Tensor], owner: Dataset) -> None:
        Dataset.__init__(self)
        self._elements = elements
        self._spec = (owner.element_spec,)


class IndexedCursor(_core.RowReader, Cursor):
    """Yields the rows of columns from the first to the last.

    Args:
        columns: the values that are read by index; None for a part that is None in each row.
        like: the structure that a row has.
        size: the number of rows.
    """

    __slots__ = ()

    def __init__(self, columns: list[Any], like: Any, size: int) -> None:
        super().__init__(columns, structure.packer_like(like), range(size))

    def skip(self, count: int) -> None:
        self._at += count

    def state(self) -> int:
        return self._at

    def restore(self, state: Any) -> None:
        self._at = state


def list_cursor(elements: list[Structure]) -> Cursor:
    """Yields the elements of a list."""
    return IndexedCursor([elements], None, len(elements))


class TensorSliceDataset(Dataset):
    """The slices of tensors along their first axis."""

    def __init__(self, tensors: Any) -> None:
        super().__init__()
        if isinstance(tensors, Dataset):
            raise TypeError("from_tensor_slices() takes tensors, got a dataset.")
        self._tensors = structure.normalize(tensors)
        self._columns = structure.flatten(self._tensors)
        if not structure.only_plain(self._columns):
            self._columns = list(map(structure.slices_of, self._columns))
        sizes = []
        for column in self._columns:
            if column is None:
                continue
            _check_rank(getattr(column, "shape", TensorShape([])).rank)
            sizes.append(int(column.shape[0]) if column.shape[0] is not None else len(column))
        if not sizes:
            raise ValueError("Invalid `tensors`. `tensors` should not be empty.")
        for size in sizes:
            if size != sizes[0]:
                raise ValueError(
                    f"Dimensions {sizes[0]} and {size} are not compatible: all components of "
                    "`tensors` are sliced along their first axis, which must have one size."
                )
        self._size = sizes[0]

    @classmethod
    def _spec_of(cls, tensors: Any) -> Any:
        spec = structure.spec_of(structure.normalize(tensors))
        for leaf in structure.flatten(spec):
            _check_rank(leaf.shape.rank if isinstance(leaf, TensorSpec) else None)
        return structure.unbatched_spec(spec)

    def _cursor(self, context: Context) -> Cursor:
        return IndexedCursor(self._columns, self._tensors, self._size)

    def _make_spec(self) -> Structure:
        return structure.unbatched_spec(structure.spec_of(self._tensors))

    def _count(self) -> int:
        return self._size

    def _details(self) -> str:
        described = ", ".join(
            f"{tuple(column.shape)} {column.dtype.name}"
            for column in self._columns
            if column is not None
        )
        return f"{self._size} slices of {described}"


def _check_rank(rank: int | None) -> None:
    if rank == 0:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")


class RangeDataset(Dataset):
    """Equally spaced values."""

    def __init__(self, *args: Any, output_type: Any = dtypes.int64) -> None:
        super().__init__()
        if not 1 <= len(args) <= 3:
            raise ValueError(
                f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}."
            )
        integers = [integer(value, "range") for value in args]
        if integers[2:] == [0]:
            raise invalid("step must be a non-zero integer.")
        self._range = range(*integers)
        self._dtype = dtypes.as_dtype(output_type)

    @classmethod
    def _spec_of(cls, *args: object, output_type: Any = dtypes.int64) -> TensorSpec:
        return TensorSpec([], dtypes.as_dtype(output_type))

    def _cursor(self, context: Context) -> Cursor:
        return RangeCursor(self._range, self._dtype)

    def _make_spec(self) -> TensorSpec:
        return TensorSpec([], self._dtype)

    def _count(self) -> int:
        return len(self._range)

    def _details(self) -> str:
        span = self._range
        return f"{span.start} to {span.stop} by {span.step}"


class RangeCursor(_core.RowReader, Cursor):
    """Yields the values of a range, of which some are in memory at a time."""

    __slots__ = ("_dtype", "_range", "_start")

    _CHUNK = 256

    def __init__(self, numbers: range, dtype: dtypes.DType) -> None:
        super().__init__([], structure.packer_like(None), range(0))
        self._range = numbers
        self._dtype = dtype
        self._start = 0  # the index of the first value in memory

    def _more(self) -> Sequence[int]:
        self.restore(self.state())
        return self._indices

    def skip(self, count: int) -> None:
        self.restore(self.state() + count)

    def state(self) -> int:
        return self._start + self._at

    def restore(self, state: Any) -> None:
        chunk = self._range[state : state + self._CHUNK]
        indices = range(len(chunk))
        columns = [_core.convert(list(chunk), self._dtype, None)] if chunk else []
        # Without calls between these lines, no interrupt separates them.
        self._columns, self._indices, self._start, self._at = columns, indices, state, 0


class CounterDataset(Dataset):
    """Infinitely many equally spaced values."""

    _public_name = "_ScanDataset"

    def __init__(self, start: Any, step: Any, dtype: DTypeLike) -> None:
        super().__init__()
        self._dtype = dtypes.as_dtype(dtype)
        self._start = _core.convert(start, self._dtype, None)
        self._step = _core.convert(step, self._dtype, None)

    def _cursor(self, context: Context) -> Cursor:
        return CounterCursor(self._start, self._step)

    def _make_spec(self) -> TensorSpec:
        return TensorSpec([], self._dtype)

    def _count(self) -> int:
        return INFINITE


class CounterCursor(Cursor):
    """Adds the step repeatedly."""

    __slots__ = ("_step", "_value")

    def __init__(self, start: Tensor, step: Tensor) -> None:
        self._value = start
        self._step = step

    def __next__(self) -> Tensor:
        value = self._value
        self._value = value + self._step
        return value

    def state(self) -> Tensor:
        return self._value

    def restore(self, state: Any) -> None:
        self._value = state


class GeneratorDataset(Dataset):
    """The elements of a Python generator, checked against the declared specs."""

    _public_name = "_FlatMapDataset"

    def __init__(self, generator: Callable[..., Any], spec: Any, args: tuple[Any, ...]) -> None:
        super().__init__()
        self._generator = generator
        self._declared = spec
        self._args = args

    def _cursor(self, context: Context) -> Cursor:
        args = tuple([value.numpy() for value in self._args])
        return GeneratorCursor(self._generator, args, self._declared)

    def _make_spec(self) -> Structure:
        return self._declared

    def _count(self) -> int:
        return UNKNOWN

    def _details(self) -> str:
        return getattr(self._generator, "__qualname__", "")


class GeneratorCursor(Cursor):
    """Runs a generator and turns what it yields into elements."""

    __slots__ = ("_args", "_count", "_fit", "_function", "_iterator")

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], spec: Any) -> None:
        self._function = function
        self._args = args
        self._fit = Fitter(spec, "`generator`", "yielded")
        self._iterator: Any = None
        self._count = 0

    def __next__(self) -> Structure:
        try:
            if self._iterator is None:
                self._iterator = iter(self._function(*self._args))
            value = next(self._iterator)
        except StopIteration:
            raise
        except Exception as error:
            raise error_of_python_code(error) from error
        self._count += 1
        try:
            return self._fit(value)
        except (TypeError, ValueError) as error:
            raise error_of_python_code(error) from error

    def state(self) -> int:
        return self._count

    def restore(self, state: Any) -> None:
        self.skip(state)


class Fitter:
    """Makes elements of declared specs from what a program's function gives.

    Args:
        spec: the specs, in the elements' structure.
        who: the function, in messages of errors.
        gave: how it gave a value.
    """

    def __init__(self, spec: Structure, who: str, gave: str) -> None:
        self._spec = spec
        self._leaves = structure.flatten(spec)
        self._who = who
        self._gave = gave

    def __call__(self, value: Any) -> Structure:
        """The element.

        Raises:
            TypeError: if the value does not fit.
        """
        spec = self._spec
        if type(spec) is TensorSpec:
            return self._fitting(spec, value)
        try:
            parts = structure.flatten_up_to(spec, value)
        except (TypeError, ValueError) as error:
            kinds = structure.map_structure(lambda leaf: getattr(leaf, "dtype", leaf), spec)
            raise self._other_structure(kinds, value) from error
        leaves = [self._fitting(leaf, part) for leaf, part in zip(self._leaves, parts, strict=True)]
        return structure.pack(spec, leaves)

    def _other_structure(self, expected: object, value: object) -> TypeError:
        return TypeError(
            f"{self._who} {self._gave} an element that did not match the expected structure. The expected "
            f"structure was {expected}, but the {self._gave} element was {value}."
        )

    def _fitting(self, spec: Any, value: Any) -> Any:
        """One value as a tensor of the declared dtype and shape."""
        if not isinstance(spec, TensorSpec):
            return self._fitting_composite(spec, value)
        dtype, shape = spec.dtype, spec.shape
        if shape.rank is None:
            try:
                return _core.convert(value, dtype, None)
            except (TypeError, ValueError) as error:
                raise self._other_structure(self._spec, value) from error
        if isinstance(value, Tensor) and value.dtype is dtype:
            tensor = value
        else:
            try:
                tensor = _core.convert(_as_array(value, dtype), dtype, None)
            except (TypeError, ValueError, OverflowError) as error:
                raise TypeError(
                    f"{self._who} {self._gave} an element that could not be converted to the expected type. "
                    f"The expected type was {dtype.name}, but the {self._gave} element was {value}."
                ) from error
        sizes = tensor._shape_tuple()
        if shape._dims != sizes and not shape.is_compatible_with(sizes):
            raise TypeError(
                f"{self._who} {self._gave} an element of shape {sizes} where an element of shape {shape} was "
                "expected."
            )
        return tensor

    def _fitting_composite(self, spec: Any, value: Any) -> Any:
        if value is None and isinstance(spec, NoneTensorSpec):
            return value
        if hasattr(spec, "ragged_rank") and not spec.ragged_rank:
            value = structure.as_leaf(value)
        if not spec.is_compatible_with(value):
            raise self._other_structure(spec, value)
        return value


def _as_array(value: Any, dtype: dtypes.DType) -> Any:
    if dtype is dtypes.string:
        return value
    if type(value) is np.ndarray and value.dtype == dtype.as_numpy_dtype:
        return value
    return np.asarray(value, dtype=dtype.as_numpy_dtype)


def check_signature(output_signature: Structure) -> None:
    """Raises TypeError if a description of elements has anything else than specs."""
    for leaf in structure.flatten(output_signature):
        if not isinstance(leaf, TypeSpec):
            raise TypeError(
                "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                f"found {type(leaf)} which is not."
            )


def from_generator(
    generator: Any,
    output_types: Any,
    output_shapes: Structure,
    args: Any,
    output_signature: Any,
    processes: Any,
) -> Dataset:
    """The dataset of a generator function, after checks of the declared specs.

    Args:
        generator: the function.
        output_types: see `Dataset.from_generator`.
        output_shapes: see `Dataset.from_generator`.
        args: see `Dataset.from_generator`.
        output_signature: see `Dataset.from_generator`.
        processes: the arguments of worker processes; None if there are none.
    """
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    if output_signature is not None:
        if output_types is not None or output_shapes is not None:
            raise TypeError(
                "The `output_types` and `output_shapes` arguments can not be used together with the "
                "`output_signature` argument."
            )
        check_signature(output_signature)
        spec = output_signature
    elif output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument."
        )
    else:
        spec = structure.spec_from_legacy(output_types, output_shapes)
    tensors = tuple([_core.as_tensor(arg) for arg in args or ()])
    if processes is None:
        return GeneratorDataset(generator, spec, tensors)
    return process_datasets.ProcessGeneratorDataset(generator, spec, tensors, *processes)
