"""Transformations of several datasets: zip, concatenate, and choosing among datasets."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from eagerflow.data import structure
from eagerflow.data.arguments import INFINITE, UNKNOWN, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, merge_counts
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import Structure


class ZipDataset(Dataset):
    """Structures of the elements at the same position of several datasets."""

    def __init__(self, datasets: Any) -> None:
        super().__init__()
        self._datasets = datasets
        self._inputs = tuple(structure.flatten(datasets))
        if not self._inputs:
            raise invalid("`zip` needs at least one dataset.")
        for item in self._inputs:
            if isinstance(item, Dataset):
                continue
            if isinstance(item, list):
                message = (
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                    "`tuple` instead."
                )
            else:
                message = (
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(item)}."
                )
            raise TypeError(message)

    def _cursor(self, context: Context) -> Cursor:
        return ZipCursor([source._cursor(context) for source in self._inputs], self._datasets)

    def _make_spec(self) -> Structure:
        return structure.pack(self._datasets, [source.element_spec for source in self._inputs])

    def _count(self) -> int:
        return merge_counts(source._count() for source in self._inputs)


class ZipCursor(Cursor):
    """Reads one element of each; ends when the first of them ends."""

    __slots__ = ("_inputs", "_like", "_plain")

    def __init__(self, inputs: list[Cursor], like: Any) -> None:
        self._inputs = inputs
        self._like = like
        self._plain = type(like) is tuple and not any(map(structure.is_nested, like))

    def __next__(self) -> Structure:
        values: list[Any] = []
        try:
            for source in self._inputs:
                values.append(next(source))
        except Exception:
            # All advance, so that elements stay aligned and caches are filled.
            for source in self._inputs[len(values) + 1 :]:
                with suppress(Exception):
                    next(source)
            raise
        return tuple(values) if self._plain else structure.pack(self._like, values)

    def state(self) -> Any:
        return [source.state() for source in self._inputs]

    def restore(self, state: Any) -> None:
        for source, position in zip(self._inputs, state, strict=True):
            source.restore(position)


class ConcatenateDataset(Dataset):
    """The elements of one dataset, then those of another."""

    def __init__(self, first: Dataset, second: Dataset) -> None:
        super().__init__()
        self._inputs = (first, second)
        one, other = first.element_spec, second.element_spec
        try:
            self._merged = structure.merged_spec(one, other)
        except (TypeError, ValueError) as error:
            raise TypeError(f"Incompatible dataset elements:\n  {one} vs.   {other}") from error

    def _cursor(self, context: Context) -> Cursor:
        return ConcatenateCursor(list(self._inputs), context)

    def _make_spec(self) -> Structure:
        return self._merged

    def _count(self) -> int:
        counts = [source._count() for source in self._inputs]
        if INFINITE in counts:
            return INFINITE
        return UNKNOWN if UNKNOWN in counts else sum(counts)


class ConcatenateCursor(Cursor):
    """Reads the datasets one after the other."""

    __slots__ = ("_context", "_datasets", "_index", "_input")

    def __init__(self, datasets: list[Dataset], context: Context) -> None:
        self._datasets = datasets
        self._context = context
        self._index = 0
        self._input: Cursor | None = datasets[0]._cursor(context)

    def __next__(self) -> Structure:
        while self._input is not None:
            try:
                return next(self._input)
            except StopIteration:
                self._go_to(self._index + 1)
        raise StopIteration

    def _go_to(self, index: int) -> None:
        self._index = index
        self._input = None
        if index < len(self._datasets):
            self._input = self._datasets[index]._cursor(self._context)

    def state(self) -> object:
        return {"index": self._index, "input": None if self._input is None else self._input.state()}

    def restore(self, state: Any) -> None:
        if state["index"] != self._index:
            self._go_to(state["index"])
        if self._input is not None:
            self._input.restore(state["input"])


class DirectedInterleaveDataset(Dataset):
    """Elements of several datasets, in the order of a dataset of indices."""

    def __init__(self, selector: Dataset, datasets: list[Dataset], stop_on_empty: bool) -> None:
        super().__init__()
        self._inputs = (selector, *datasets)
        self._stop_on_empty = stop_on_empty
        self._spec = (self._make_spec(),)

    def _cursor(self, context: Context) -> Cursor:
        return DirectedInterleaveCursor(
            [source._cursor(context) for source in self._inputs], self._stop_on_empty
        )

    def _make_spec(self) -> Structure:
        datasets = self._inputs[1:]
        first = spec = datasets[0].element_spec
        for index, source in enumerate(datasets[1:], 1):
            try:
                spec = structure.merged_spec(spec, source.element_spec)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                    f"element_spec={first}.\nDataset {index} element_spec={source.element_spec}."
                ) from error
        return spec

    def _count(self) -> int:
        counts = [source._count() for source in self._inputs[1:]]
        return INFINITE if INFINITE in counts else UNKNOWN


class DirectedInterleaveCursor(Cursor):
    """Reads from the dataset that the selector chooses."""

    __slots__ = ("_inputs", "_selector", "_stop_on_empty")

    def __init__(self, cursors: list[Cursor], stop_on_empty: bool) -> None:
        self._selector = cursors[0]
        self._inputs: list[Cursor | None] = list(cursors[1:])
        self._stop_on_empty = stop_on_empty

    def __next__(self) -> Structure:
        while any(source is not None for source in self._inputs):
            index = int(next(self._selector))
            if not 0 <= index < len(self._inputs):
                raise invalid(f"Selector index out of range: {index} >= {len(self._inputs)}")
            source = self._inputs[index]
            if source is None:
                continue
            try:
                return next(source)
            except StopIteration:
                if self._stop_on_empty:
                    self._inputs = []
                    break
                self._inputs[index] = None
        raise StopIteration

    def state(self) -> object:
        inputs = [None if source is None else source.state() for source in self._inputs]
        return {"selector": self._selector.state(), "inputs": inputs}

    def restore(self, state: Any) -> None:
        self._selector.restore(state["selector"])
        self._inputs = self._inputs[: len(state["inputs"])]
        for index, position in enumerate(state["inputs"]):
            source = self._inputs[index]
            if position is None:
                self._inputs[index] = None
            elif source is not None:
                source.restore(position)


def chosen(datasets: Structure, choices: Dataset, stop_on_empty: bool) -> Dataset:
    """The dataset for `Dataset.choose_from_datasets`."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not isinstance(choices, Dataset):
        raise TypeError(
            "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
            f"{type(choices)}."
        )
    spec = choices.element_spec
    if not isinstance(spec, TensorSpec) or (spec.dtype, spec.shape.rank) != (dtypes.int64, 0):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
            f"tensors but are {spec}."
        )
    return DirectedInterleaveDataset(choices, list(datasets), stop_on_empty)
