"""keras.tree: functions of nested structures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from eagerflow import nest
from eagerflow.typing import Structure, TensorLike

__all__ = [
    "MAP_TO_NONE",
    "assert_same_paths",
    "assert_same_structure",
    "flatten",
    "flatten_with_path",
    "is_nested",
    "lists_to_tuples",
    "map_shape_structure",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
    "traverse",
]


class MAP_TO_NONE:
    """A function returns this to `traverse` to replace a part by None."""


def is_nested(structure: Structure) -> bool:
    """Whether it is a list, tuple or dictionary.

    >>> tf.keras.tree.is_nested([1, 2])
    True
    """
    return nest.is_nested(structure)


def flatten(structure: Structure) -> list[Structure]:
    """The leaves, dictionaries in the order of their keys.

    >>> tf.keras.tree.flatten({"b": 2, "a": [1, 1]})
    [1, 1, 2]
    """
    return nest.flatten(structure)


def flatten_with_path(structure: Structure) -> list[tuple[tuple, Structure]]:
    """The leaves with their keys and indices.

    >>> tf.keras.tree.flatten_with_path({"a": [1, 2]})
    [(('a', 0), 1), (('a', 1), 2)]
    """
    if not nest.is_nested(structure):
        return [((), structure)]
    children = nest.walker.children(structure)
    keys = sorted(structure) if isinstance(structure, Mapping) else range(len(children))
    return [
        ((key, *path), leaf)
        for key, child in zip(keys, children, strict=True)
        for path, leaf in flatten_with_path(child)
    ]


def map_structure(func: Callable[..., Any], *structures: Any, none_is_leaf: bool = True) -> Any:
    """A structure of the results of a function of the leaves.

    Args:
        func: called with a leaf of each structure.
        *structures: structures of the same form.
        none_is_leaf: whether the function is called for None, too.

    >>> tf.keras.tree.map_structure(lambda a, b: a + b, [1, 2], [10, 20])
    [11, 22]
    """
    if none_is_leaf:
        return nest.map_structure(func, *structures)
    return nest.map_structure(
        lambda *leaves: None if leaves[0] is None else func(*leaves), *structures
    )


def map_structure_up_to(shallow_structure: Any, func: Callable[..., Any], *structures: Any) -> Any:
    """Like `map_structure`, down to the leaves of a shallow structure."""
    return nest.map_structure_up_to(shallow_structure, func, *structures)


def map_shape_structure(func: Callable[[Structure], Structure], structure: Structure) -> Structure:
    """Like `map_structure`, where shapes, tuples of sizes, are leaves.

    >>> tf.keras.tree.map_shape_structure(len, {"a": (None, 3)})
    {'a': 2}
    """

    def is_shape(value: object) -> bool:
        return isinstance(value, list | tuple) and all(
            size is None or isinstance(size, int) for size in value
        )

    if is_shape(structure):
        return func(tuple(structure))
    if not nest.is_nested(structure):
        raise ValueError(f"Cannot map function to unknown objects {structure}")
    return _with_children(lambda child: map_shape_structure(func, child), structure)


def _with_children(function: Callable[[Structure], Structure], structure: Structure) -> Structure:
    """The structure with a function applied to its direct children."""
    return nest.walker.rebuild(structure, [function(x) for x in nest.walker.children(structure)])


def assert_same_structure(a: TensorLike, b: TensorLike, check_types: bool | None = None) -> None:
    """Raises an error if two structures do not have the same form.

    Raises:
        ValueError: if sizes or keys differ.
        TypeError: if the kinds of containers differ.
    """
    nest.assert_same_structure(a, b, check_types is not False)


def assert_same_paths(a: Any, b: Any) -> None:
    """Raises a ValueError if two structures' leaves have different paths."""
    one, other = ({path for path, _ in flatten_with_path(each)} for each in (a, b))
    if one != other:
        raise ValueError(f"`a` and `b` don't have the same paths. a: {a}; b: {b}")


def pack_sequence_as(structure: Structure, flat_sequence: Iterable[Structure]) -> Structure:
    """Leaves in the form of a structure.

    >>> tf.keras.tree.pack_sequence_as({"a": 0, "b": 0}, [1, 2])
    {'a': 1, 'b': 2}
    """
    return nest.pack_sequence_as(structure, list(flat_sequence))


def lists_to_tuples(structure: Structure) -> Structure:
    """The structure with lists replaced by tuples.

    >>> tf.keras.tree.lists_to_tuples([1, [2]])
    (1, (2,))
    """
    if isinstance(structure, dict):
        return {key: lists_to_tuples(value) for key, value in structure.items()}
    if isinstance(structure, list | tuple):
        return tuple(lists_to_tuples(value) for value in structure)
    return structure


def traverse(func: Callable[[Structure], Structure], structure: Any, top_down: bool = True) -> Any:
    """A structure whose parts are replaced by the results of a function, unless it returns None.

    Args:
        func: called with a part; returns None, the replacement, or `MAP_TO_NONE`.
        structure: the structure.
        top_down: whether the function is called for a container before its children.
    """
    if top_down:
        replacement = func(structure)
        if replacement is not None:
            return None if replacement is MAP_TO_NONE else replacement
    if nest.is_nested(structure):
        structure = _with_children(lambda child: traverse(func, child, top_down), structure)
    if not top_down:
        replacement = func(structure)
        if replacement is not None:
            return None if replacement is MAP_TO_NONE else replacement
    return structure
