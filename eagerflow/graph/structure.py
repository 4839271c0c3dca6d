"""Finding and replacing the graph tensors among a call's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import nest
from eagerflow.framework.indexed_slices import IndexedSlices


def _rebuilt_dict(like: dict, children: list) -> dict:
    return dict(zip(like, children)) if like else {}  # noqa: B905 - of one length


_CONTAINERS = {
    list: nest.LIST,
    # In the order of the keys, which need not be sortable.
    dict: nest.Container(dict.values, _rebuilt_dict),
    slice: nest.Container(
        lambda value: (value.start, value.stop, value.step),
        lambda value, children: slice(*children),
    ),
    IndexedSlices: nest.Container(
        lambda value: (value.values, value.indices, value.dense_shape),
        lambda value, children: IndexedSlices(*children),
    ),
}


def _container_of(kind: type) -> nest.Container | None:
    if issubclass(kind, tuple) and not getattr(kind, "_graph_tensor", False):
        return nest.tuple_container(kind)
    return _CONTAINERS.get(kind)


_walker = nest.Walker(_container_of)


def is_symbol(value: Any) -> bool:
    """Whether a value is a tensor or a variable of a graph."""
    return getattr(type(value), "_graph_tensor", False)


def replace(value: Any, function: Callable[[Any], Any]) -> Any:
    """The value with `function` applied to every graph tensor in it."""

    def replaced(leaf: Any) -> Any:
        return function(leaf) if getattr(type(leaf), "_graph_tensor", False) else leaf

    return _walker.map(replaced, value)


def symbols(*values: Any) -> list[Any]:
    """The graph tensors in the values, in order."""
    return [leaf for leaf in _walker.flatten(values) if is_symbol(leaf)]
