"""Iterators over datasets, and the optional values of `get_next_as_optional`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from collections.abc import Iterator as PythonIterator
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.checkpoint.trackable import Value
from eagerflow.data import structure
from eagerflow.data.context import context_of
from eagerflow.data.options import ExternalStatePolicy
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec, TypeSpec, WeakTensors, spec_or_none
from eagerflow.typing import Structure, TensorLike
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

# Imported when they are first used: they import this module.
codec = lazy.Module("eagerflow.data.codec")
composites = lazy.Module("eagerflow.data.composites")
datasets = lazy.Module("eagerflow.data.dataset")
graph_iterators = lazy.Module("eagerflow.data.graph_iterators")
saving = lazy.Module("eagerflow.data.saving")
weak_cursor = lazy.Module("eagerflow.data.weak_cursor")

Tensor = _core.Tensor


class Iterator(ABC):
    """The interface of iterators over the elements of a dataset."""

    _is_dataset_iterator = True  # marks iterators for modules of lower layers

    @property
    @abstractmethod
    def element_spec(self) -> Structure:
        """The specs of the elements."""

    @abstractmethod
    def get_next(self) -> Structure:
        """The next element.

        Raises:
            tf.errors.OutOfRangeError: if there is none.
        """

    @abstractmethod
    def get_next_as_optional(self) -> Any:
        """The next element as a `tf.experimental.Optional`, empty at the end."""

    def __iter__(self) -> Iterator:
        return self

    @abstractmethod
    def __next__(self) -> Structure:
        """The next element."""


def _cursor_of(dataset: Any) -> Any:
    """A cursor for one reading of a dataset."""
    cursor = dataset._cursor(context_of(dataset.options(), dataset))
    if WeakTensors.exist and structure.has_weak(dataset.element_spec):
        return weak_cursor.WeakCursor(cursor, dataset.element_spec)
    return cursor


class OwnedIterator(_core.LockedIterator, Iterator):
    """The result of `iter(dataset)`.

    Several threads may read one iterator: each element goes to one of them.

    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> next(iterator).numpy(), iterator.get_next().numpy()
    (np.int64(0), np.int64(1))
    """

    def __init__(self, dataset: Any = None) -> None:
        if dataset is None:
            raise ValueError("An iterator needs the dataset that it reads.")
        self._dataset = dataset
        self._cursor = _cursor_of(dataset)

    def get_next(self, name: str | None = None) -> Structure:
        """The next element.

        Raises:
            tf.errors.OutOfRangeError: if there is none.
        """
        if _core.building() is not None:
            return graph_iterators.iterator(self).get_next()
        try:
            return self._advance()
        except StopIteration:
            raise errors.OutOfRangeError._of("End of sequence") from None

    next = get_next

    def get_next_as_optional(self) -> Optional:
        """The next element as a `tf.experimental.Optional`, empty at the end."""
        if _core.building() is not None:
            return graph_iterators.iterator(self).get_next_as_optional()
        try:
            return _Present(self._advance())
        except StopIteration:
            return _Absent(self.element_spec)

    @property
    def element_spec(self) -> Structure:
        """The specs of the elements."""
        return self._dataset.element_spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    @property
    def output_types(self) -> tuple[dtypes.DType, dtypes.DType]:
        """The dtypes of the elements, in their structure."""
        return self._dataset.output_types

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements, in their structure."""
        return self._dataset.output_shapes

    @property
    def output_classes(self) -> Any:
        """The classes of the elements, in their structure."""
        return self._dataset.output_classes

    @property
    def initializer(self) -> None:
        """Nothing: an iterator that was made eagerly has started."""
        return None

    def state(self) -> Any:
        """The position in the pipeline, made of plain values and tensors."""
        return self._exclusively(self._state)

    def _state(self) -> object:
        return None if self._cursor is None else self._cursor.state()

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The position as a checkpoint keeps it."""
        self._check_state()
        data = codec.encode(self.state())
        return {"_STATE": _core.convert(data, dtypes.string, None)}

    def _check_state(self) -> None:
        """Checks that the position determines the next elements.

        Raises:
            tf.errors.FailedPreconditionError: if they depend on more, and the option
                `experimental_external_state_policy` does not allow that.
        """
        operation = self._dataset._stateful_operation()
        policy = self._dataset.options().experimental_external_state_policy
        if operation is None or policy is ExternalStatePolicy.IGNORE:
            return
        message = f"{operation} is stateful."
        if policy is not ExternalStatePolicy.WARN:
            raise errors.FailedPreconditionError._of(
                f"{message} What a function of the pipeline returns depends on more than the "
                "position, which is all that is saved: set the option "
                "experimental_external_state_policy to WARN or IGNORE to save it anyway."
            )
        warn(f"The position is saved without its state: {message}")

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        """Goes to the position that a checkpoint kept."""
        self.restore(codec.decode(restored_tensors["_STATE"].numpy()))

    def _checkpoint_values(self) -> dict[str, Any]:
        """The position as `tf.train.Checkpoint` saves it."""
        return _position_of(self)

    def restore(self, state: object) -> None:
        """Goes to a position that `state` returned for an iterator over the same pipeline."""
        cursor = None
        if state is not None:
            cursor = _cursor_of(self._dataset)
            cursor.restore(state)
        self._exclusively(setattr, self, "_cursor", cursor)


class _NotInitialized:
    """The position of an iterator that is not initialized."""

    def __iter__(self) -> _NotInitialized:
        return self

    def __next__(self) -> Any:
        raise errors.FailedPreconditionError._of(
            "GetNext() failed because the iterator has not been initialized. Ensure that you have "
            "run the initializer operation for this iterator before getting the next element."
        )

    def state(self) -> object:
        """None, as at the end: there is nothing to resume."""


class InitializableIterator(OwnedIterator):
    """An iterator in the TensorFlow 1 spelling, which starts anew whenever it is initialized."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._cursor = _NotInitialized()

    @property
    def initializer(self) -> Any:
        """A function that starts the iterator from the first element."""
        return self._initialize

    def _initialize(self) -> None:
        cursor = _cursor_of(self._dataset)
        self._exclusively(setattr, self, "_cursor", cursor)

    @staticmethod
    def from_structure(
        output_types: Structure,
        output_shapes: Structure = None,
        shared_name: str | None = None,
        output_classes: Structure = None,
    ) -> InitializableIterator:
        """An iterator for datasets whose elements have these dtypes and shapes.

        Args:
            output_types: the dtypes, in the elements' structure.
            output_shapes: the shapes; unknown by default.

        Returns:
            An iterator that starts when a function made by its `make_initializer` is called.
        """
        return InitializableIterator(
            saving.EmptyDataset(structure.spec_from_legacy(output_types, output_shapes))
        )

    def make_initializer(self, dataset: Any, name: str | None = None) -> Callable[..., None]:
        """A function that starts the iterator from the first element of another dataset."""

        types = structure.map_structure(lambda spec: spec.dtype, self._dataset.element_spec)
        element_types = structure.map_structure(lambda spec: spec.dtype, dataset.element_spec)
        if types != element_types:
            raise TypeError(
                f"Expected output types {types!r} but got dataset with output types {element_types!r}."
            )

        def initialize() -> None:
            self._dataset = dataset
            self._initialize()

        return initialize


def make_one_shot_iterator(dataset: Any) -> OwnedIterator:
    """An iterator over the elements, in the TensorFlow 1 spelling.

    >>> tf.data.Dataset.range(3).make_one_shot_iterator().get_next().numpy()
    np.int64(0)
    """
    return OwnedIterator(dataset)


def make_initializable_iterator(
    dataset: Any, shared_name: str | None = None
) -> InitializableIterator:
    """An iterator that starts when its `initializer` is called.

    Args:
        dataset: what to read.
    """
    return InitializableIterator(dataset)


class NumpyIterator:
    """Reads a dataset and yields its tensors as NumPy values.

    Arrays cannot be written to: they are the tensors' own memory.

    Raises:
        TypeError: if an element holds a value that cannot become an array.
    """

    def __init__(self, dataset: Any) -> None:
        self._iterator = OwnedIterator(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Structure:
        element = self._iterator._advance()
        if isinstance(element, Tensor):
            return _to_numpy(element)
        return structure.map_structure(_to_numpy, element)

    def next(self) -> Any:
        """The next element."""
        return self.__next__()

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator})"

    def state(self) -> object:
        """The position in the pipeline."""
        return self._iterator.state()

    save = state

    def restore(self, state: object) -> None:
        """Goes to a position that `state` returned."""
        self._iterator.restore(state)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The position as a checkpoint keeps it."""
        return self._iterator._serialize_to_tensors()

    def _restore_from_tensors(self, restored_tensors: dict[str, object]) -> None:
        """Goes to the position that a checkpoint kept."""
        self._iterator._restore_from_tensors(restored_tensors)

    def _checkpoint_values(self) -> dict[str, Any]:
        """The position as `tf.train.Checkpoint` saves it."""
        return _position_of(self)


def _position_of(iterator: OwnedIterator | NumpyIterator) -> dict[str, Any]:
    return {
        "ITERATOR_STATE": Value(
            lambda: iterator._serialize_to_tensors()["_STATE"],
            lambda state: iterator._restore_from_tensors({"_STATE": state}),
        )
    }


def _to_numpy(leaf: TensorLike) -> Any:
    if isinstance(leaf, Tensor):
        if leaf.ndim == 0:
            return leaf.numpy()
        value = np.asarray(leaf)
        if value.flags.writeable:
            value.setflags(write=False)
        return value
    if isinstance(leaf, datasets.Dataset):
        return NumpyIterator(leaf)
    if leaf is None:
        return None
    if hasattr(type(leaf), "_is_composite_tensor"):
        return composites.to_numpy(leaf)
    raise TypeError(
        "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values "
        f"of type {type(leaf)}"
    )


class IteratorSpec(TypeSpec):
    """The spec of an iterator.

    Args:
        element_spec: the specs of its elements.
    """

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @classmethod
    def from_value(cls, value: Any) -> IteratorSpec:
        """The spec of an iterator."""
        return cls(value.element_spec)

    @property
    def element_spec(self) -> Structure:
        """The specs of the iterator's elements."""
        return self._element_spec

    @property
    def value_type(self) -> type:
        """Iterators."""
        return OwnedIterator

    def placeholder_value(self, placeholder_context: Any) -> Any:
        """An iterator whose elements are known when the graph runs."""
        handle = placeholder_context.placeholder(graph_iterators.HANDLE)
        return graph_iterators.GraphIterator(handle, self._element_spec)

    def to_tensors(self, value: object) -> list[Any]:
        """The handle of an iterator."""
        return [graph_iterators.handle_of(value)]

    def from_tensors(self, tensors: PythonIterator[Any]) -> Any:
        """The iterator of a handle."""
        return graph_iterators.iterator_of(next(tensors), self._element_spec)

    def flatten(self) -> list[Any]:
        """The spec of the handle."""
        return [graph_iterators.HANDLE]

    def most_specific_compatible_type(self, other: object) -> IteratorSpec:
        """The spec whose elements are described by both."""
        if not isinstance(other, IteratorSpec):
            raise ValueError(f"No spec is compatible with both {self} and {other}.")
        return IteratorSpec(structure.merged_spec(self._element_spec, other._element_spec))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the spec describes all elements of an iterator, or of another spec."""
        other = spec_or_none(spec_or_value)
        return isinstance(other, IteratorSpec) and other.is_subtype_of(self)

    def is_subtype_of(self, other: object) -> bool:
        """Whether the other spec also describes the elements."""
        return isinstance(other, IteratorSpec) and graph_iterators.describes(
            other._element_spec, self._element_spec
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IteratorSpec) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(IteratorSpec)

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r},)"


class Optional(ABC):
    """A value that may be missing, as `Iterator.get_next_as_optional` returns it.

    >>> iterator = iter(tf.data.Dataset.range(1))
    >>> iterator.get_next_as_optional().has_value().numpy()
    np.True_
    >>> iterator.get_next_as_optional().has_value().numpy()
    np.False_
    """

    _is_composite_tensor = True  # its handle is its component
    is_empty = False  # whether it is known to have no value

    @abstractmethod
    def has_value(self, name: str | None = None) -> Any:
        """Whether there is a value, a boolean scalar."""

    @abstractmethod
    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Raises:
            tf.errors.InvalidArgumentError: if there is none.
        """

    @property
    @abstractmethod
    def element_spec(self) -> Structure:
        """The specs of the value."""

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self.element_spec)

    @staticmethod
    def empty(element_spec: Structure) -> Optional:
        """An Optional without a value.

        Args:
            element_spec: the specs that its value would have.
        """
        return _Absent(element_spec)

    @staticmethod
    def from_value(value: object) -> Optional:
        """An Optional that holds a structure of tensors.

        >>> tf.experimental.Optional.from_value(42).get_value().numpy()
        np.int32(42)
        """
        return _Present(structure.normalize(value))


class _Present(Optional):
    def __init__(self, value: Any) -> None:
        self._value = value

    def has_value(self, name: str | None = None) -> Tensor:
        return _core.as_tensor(True)

    def get_value(self, name: str | None = None) -> Any:
        return self._value

    @property
    def element_spec(self) -> Structure:
        return structure.spec_of(self._value)

    def __repr__(self) -> str:
        return f"tf.experimental.Optional(element_spec={self.element_spec})"


class _Absent(Optional):
    is_empty = True

    def __init__(self, element_spec: Structure) -> None:
        self._element_spec = element_spec

    def has_value(self, name: str | None = None) -> Tensor:
        return _core.as_tensor(False)

    def get_value(self, name: str | None = None) -> Any:
        raise errors.InvalidArgumentError._of("The given optional does not have a value.")

    @property
    def element_spec(self) -> Structure:
        return self._element_spec

    def __repr__(self) -> str:
        return f"tf.experimental.Optional(element_spec={self.element_spec})"


class OptionalSpec(TypeSpec):
    """The spec of a `tf.experimental.Optional`.

    Args:
        element_spec: the specs of its value.
    """

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @classmethod
    def from_value(cls, value: Optional) -> OptionalSpec:
        """The spec of an Optional."""
        return cls(value.element_spec)

    @property
    def value_type(self) -> type:
        """Optionals."""
        return Optional

    @property
    def _component_specs(self) -> TensorSpec:
        return graph_iterators.HANDLE

    def _to_components(self, value: Optional) -> Tensor:
        return graph_iterators.optional_handle(value)

    def _from_components(self, components: Tensor) -> Optional:
        return graph_iterators.optional_of(components, self._element_spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptionalSpec) and self._element_spec == other._element_spec

    def __hash__(self) -> int:
        return hash(OptionalSpec)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r},)"


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator as a `tf.experimental.Optional`."""
    return iterator.get_next_as_optional()
