"""Datasets in graphs: iterators whose next element is a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, errors, nest
from eagerflow.data import in_graphs
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.nodes import python_node
from eagerflow.graph.session import running_session
from eagerflow.typing import Structure


class GraphIterator:
    """Iterates over a dataset, once in each session.

    Args:
        make: returns the dataset; called when the iterator is initialized.
        element_spec: the specs of the elements.
        automatic: whether the first element starts it, and not its `initializer`.
        arguments: tensors of the graph whose values `make` takes.
    """

    def __init__(
        self,
        make: Callable[..., Any] | None,
        element_spec: Any,
        automatic: bool,
        arguments: Any = (),
    ) -> None:
        self._spec = element_spec
        self._make = make
        self._automatic = automatic
        self._initializer = None
        if make is not None and not automatic:
            self._initializer = self._start(make, arguments)

    def _start(self, make: Callable[..., Any], arguments: Any, name: str | None = None) -> Any:
        def start(*values: Any) -> None:
            self._storage()[id(self)] = iter(make(*values))

        return python_node(start, *arguments, kind="MakeIterator", name=name)

    def _storage(self) -> dict[Any, Any]:
        return running_session()._storage

    @property
    def initializer(self) -> Any:
        """The operation that starts the iterator.

        Raises:
            ValueError: if it has none.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Any:
        """An operation that starts the iterator on a dataset."""
        make, handles = _source_of(dataset)
        return self._start(make, handles, name)

    def get_next(self, name: str | None = None) -> _core.Tensor:
        """The next element, as nodes: every run of a session takes one.

        A run raises a `tf.errors.OutOfRangeError` at the end.
        """
        return python_node(self._next, kind="IteratorGetNext", name=name, outputs=self._spec)

    def get_next_as_optional(self) -> NodeOptional:
        """The next element, if there is one: every run of a session takes one."""
        return NodeOptional(self._next, (), self._spec)

    def string_handle(self, name: str | None = None) -> Any:
        """A string scalar, by which `Iterator.from_string_handle` finds this iterator."""
        return python_node(
            self._handle,
            kind="IteratorToStringHandle",
            name=name,
            outputs=TensorSpec([], dtypes.string),
        )

    def _handle(self) -> _core.Tensor:
        handle = f"iterator-{id(self):x}".encode()
        self._storage()[handle] = self
        return _core.convert(handle, dtypes.string, None)

    def _next(self) -> _core.Tensor:
        storage = self._storage()
        iterator = storage.get(id(self))
        if iterator is None:
            if not self._automatic or self._make is None:
                raise errors.FailedPreconditionError._of(
                    "GetNext() failed because the iterator has not been initialized. Ensure that "
                    "you have run the initializer operation for this iterator before getting the "
                    "next element."
                )
            iterator = storage[id(self)] = iter(self._make())
        try:
            return next(iterator)
        except StopIteration:
            raise errors.OutOfRangeError._of("End of sequence") from None

    @property
    def element_spec(self) -> Any:
        """The specs of the elements."""
        return self._spec

    @property
    def output_types(self) -> Any:
        """The dtypes of the elements."""
        return nest.map_structure(lambda spec: spec.dtype, self._spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements."""
        return nest.map_structure(lambda spec: spec.shape, self._spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the elements."""
        return nest.map_structure(lambda spec: spec.value_type, self._spec)


class FeedableIterator(GraphIterator):
    """Reads the iterator of a string handle, which may be another one in every run.

    Args:
        handle: a string scalar of the graph, usually a placeholder.
        element_spec: the specs of the elements of all of them.
    """

    def __init__(self, handle: Any, element_spec: Any) -> None:
        super().__init__(None, element_spec, False)
        self._handle_tensor = handle

    def get_next(self, name: str | None = None) -> Any:
        """The next element of the iterator of the handle, as nodes."""
        return python_node(
            self._next_of,
            self._handle_tensor,
            kind="IteratorGetNext",
            name=name,
            outputs=self._spec,
        )

    def get_next_as_optional(self) -> NodeOptional:
        """The next element of the iterator of the handle, if there is one."""
        return NodeOptional(self._next_of, (self._handle_tensor,), self._spec)

    def string_handle(self, name: str | None = None) -> Any:
        """The handle itself."""
        return self._handle_tensor

    def make_initializer(self, dataset: Any, name: str | None = None) -> Any:
        """Raises a ValueError: the iterators that it reads are initialized."""
        raise ValueError("A feedable iterator cannot be initialized; initialize those it reads.")

    def _next_of(self, handle: Any) -> Any:
        key = handle.numpy()
        iterator = running_session()._storage.get(key)
        if iterator is None:
            raise errors.InvalidArgumentError._of(
                f"The handle {key!r} belongs to no iterator of this session."
            )
        if not _compatible(self._spec, iterator.element_spec):
            raise errors.InvalidArgumentError._of(
                f"An iterator of elements {iterator.element_spec} cannot be read where elements "
                f"{self._spec} are expected."
            )
        return iterator._next()


def _compatible(expected: object, actual: object) -> bool:
    """Whether elements of one spec can be read where another is expected."""
    first, second = nest.flatten(expected), nest.flatten(actual)
    return len(first) == len(second) and all(
        one.dtype == other.dtype and one.shape.is_compatible_with(other.shape)
        for one, other in zip(first, second, strict=True)
    )


class NodeOptional:
    """An element of a graph that may be missing, from `get_next_as_optional`.

    Args:
        take: returns the next element.
        arguments: graph tensors that it needs.
        element_spec: the specs of the elements.
    """

    def __init__(self, take: Callable[..., Any], arguments: tuple, element_spec: Structure) -> None:
        self._spec = element_spec
        key = ("optional", id(self))

        def taken(*values: object) -> _core.Tensor:
            element: list[Any] = []
            try:
                element.append(take(*values))
            except errors.OutOfRangeError:
                pass
            running_session()._storage[key] = element
            return _core.convert(bool(element), dtypes.bool, None)

        def value(_: Any) -> Any:
            element = running_session()._storage[key]
            if not element:
                raise errors.InvalidArgumentError._of("The given optional does not have a value.")
            return element[0]

        self._value_of = value
        self._taken = python_node(
            taken, *arguments, kind="IteratorGetNextAsOptional", outputs=TensorSpec([], dtypes.bool)
        )

    def has_value(self, name: str | None = None) -> Any:
        """Whether there is a value, a boolean scalar."""
        return self._taken

    def get_value(self, name: str | None = None) -> Any:
        """The value, as nodes.

        A run raises a `tf.errors.InvalidArgumentError` if there is none.
        """
        return python_node(
            self._value_of, self._taken, kind="OptionalGetValue", name=name, outputs=self._spec
        )

    @property
    def element_spec(self) -> Any:
        """The specs of the value."""
        return self._spec


def make_one_shot_iterator(dataset: Any) -> GraphIterator:
    """An iterator that starts by itself.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     dataset = tf.compat.v1.data.Dataset.range(3)
    ...     element = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
    ...     print([int(session.run(element)) for _ in range(3)])
    [0, 1, 2]
    """
    if context.building_graph() is None:
        return dataset.make_one_shot_iterator()
    make, handles = _source_of(dataset)
    if handles:
        raise ValueError(
            "A dataset made from placeholders needs an initializable iterator, whose initializer "
            "is run with their values."
        )
    return GraphIterator(make, dataset.element_spec, True)


def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Any:
    """An iterator that starts when its `initializer` is run."""
    if context.building_graph() is None:
        return dataset.make_initializable_iterator(shared_name)
    make, handles = _source_of(dataset)
    return GraphIterator(make, dataset.element_spec, False, handles)


def _source_of(dataset: Any) -> tuple[Callable[..., Any], list[Any]]:
    """What makes a dataset of the values of handles: those of datasets that the graph computes."""
    handle = in_graphs.handle_of(dataset)
    if not is_symbolic(handle) or _core.static_value(handle) is not None:
        return lambda: dataset, []
    return _core.object_of, [handle]
