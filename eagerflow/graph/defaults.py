"""Functions about the default graph."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context, random_seed
from eagerflow.framework.device import device as eager_device
from eagerflow.framework.name_scope import name_scope as eager_name_scope


def get_default_graph() -> _core.Graph:
    """The graph that operations are added to, unless they run eagerly.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     tf.compat.v1.get_default_graph() is graph
    True

    While a function is traced, it is the graph of the function.
    """
    building = _core.building()
    return context.default_graph() if building is None else building


def add_to_collection(name: str | None, value: object) -> None:
    """Appends a value to a collection of the default graph."""
    context.default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: object) -> None:
    """Appends a value to several collections of the default graph."""
    context.default_graph().add_to_collections(names, value)


def get_collection(key: object, scope: str | None = None) -> list:
    """The values in a collection of the default graph."""
    return context.default_graph().get_collection(key, scope)


def get_collection_ref(key: object) -> list:
    """The list itself that a collection of the default graph is."""
    return context.default_graph().get_collection_ref(key)


class name_scope:
    """Puts a prefix before the names of operations and variables made inside.

    Args:
        name: one more part of the prefix.
        default_name: is used if `name` is None.
        values: accepted.

    >>> with tf.Graph().as_default(), tf.compat.v1.name_scope("layer"):
    ...     tf.compat.v1.constant(1, name="c").name
    'layer/c:0'
    """

    def __init__(
        self, name: str | None, default_name: str | None = None, values: object = None
    ) -> None:
        self._name = default_name if name is None else name
        self._scopes: list[Any] = []

    @property
    def name(self) -> str | None:
        """The name that the scope was made with."""
        return self._name

    def __enter__(self) -> str:
        graph = context.building_graph()
        scope: Any
        if graph is None:
            scope = eager_name_scope(self._name or "")
        else:
            scope = graph.name_scope(self._name)
        prefix = scope.__enter__()
        self._scopes.append(scope)
        return prefix

    def __exit__(self, *error: Any) -> None:
        self._scopes.pop().__exit__(*error)


class op_scope(name_scope):
    """The older form of `name_scope`: values first."""

    def __init__(self, values: Any, name: str | None, default_name: str | None = None) -> None:
        super().__init__(name, default_name, values)


def device(device_name_or_function: Any) -> Any:
    """Chooses the device for the operations inside the `with` block."""
    graph = context.building_graph()
    if graph is None:
        return eager_device(device_name_or_function)
    return graph.device(device_name_or_function)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Places operations that are added inside on the device of another operation."""
    return context.default_graph().colocate_with(op, ignore_existing)


def container(container_name: str) -> Any:
    """A context manager that changes nothing."""
    return context.default_graph().container(container_name)


def set_random_seed(seed: int) -> None:
    """Sets the seed of random operations."""
    if context.building_graph() is not None:
        context.default_graph().seed = seed
    # What Keras draws outside of the graph, such as the order of examples, depends on it, too.
    random_seed.set_global_seed(seed)


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The pair of seeds that a random operation uses."""
    return random_seed.get_seed(op_seed)
