"""tensorflow.python.util.nest: what `tf.nest` has besides its public functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from eagerflow import nest as _nest
from eagerflow.framework.composite import CompositeTensor
from eagerflow.typing import Structure

is_nested = is_sequence = _nest.is_nested


def is_nested_or_composite(structure: Structure) -> bool:
    """Whether a value is a structure, or made of tensors."""
    return _nest.is_nested(structure) or isinstance(structure, CompositeTensor)


is_sequence_or_composite = is_nested_or_composite


def is_mapping(value: object) -> bool:
    """Whether a value is a mapping."""
    return isinstance(value, Mapping)


def is_namedtuple(instance: object, strict: bool = False) -> bool:
    """Whether a value is a named tuple."""
    return isinstance(instance, tuple) and hasattr(instance, "_fields")


def is_attrs(value: object) -> bool:
    """Whether a value's class was made by `attrs`."""
    return hasattr(type(value), "__attrs_attrs__")


def _items(structure: Structure) -> list[tuple[object, Structure]]:
    """The children of a structure with what names them: indices, keys or fields."""
    walker = _nest.walker
    children = walker.children(structure)
    if isinstance(structure, Mapping):
        return list(zip(_nest._sorted_keys(structure), children, strict=True))
    if is_namedtuple(structure):
        return list(zip(structure._fields, children, strict=True))
    if is_attrs(structure):
        names = [field.name for field in type(structure).__attrs_attrs__]
        return list(zip(names, children, strict=True))
    if dataclasses.is_dataclass(structure):
        names = [field.name for field in dataclasses.fields(structure)][: len(children)]
        return list(zip(names, children, strict=False))
    return list(enumerate(children))


def yield_flat_paths(structure: Any, expand_composites: bool = False) -> Iterator[tuple[Any, ...]]:
    """The path to each leaf, a tuple of indices and keys."""
    for path, _ in flatten_with_tuple_paths(structure, expand_composites):
        yield path


def flatten_with_tuple_paths(
    structure: Structure, expand_composites: bool = False
) -> list[tuple[tuple[object, ...], Structure]]:
    """The leaves, each with its path, a tuple of indices and keys."""
    if not _nest.is_nested(structure):
        if expand_composites and isinstance(structure, CompositeTensor):
            parts = _nest.flatten(structure, expand_composites=True)
            return [((k,), part) for k, part in enumerate(parts)]
        return [((), structure)]
    return [
        ((key, *path), leaf)
        for key, child in _items(structure)
        for path, leaf in flatten_with_tuple_paths(child, expand_composites)
    ]


def flatten_with_joined_string_paths(
    structure: Structure, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Structure]]:
    """The leaves, each with its path as text."""
    return [
        (separator.join(map(str, path)), leaf)
        for path, leaf in flatten_with_tuple_paths(structure, expand_composites)
    ]


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The structure of what a function returns for each path and leaf."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Structure:
    """The structure of what a function returns for each path, as text, and leaf."""

    def joined(path: tuple[object, ...], *leaves: Structure) -> Structure:
        return func("/".join(map(str, path)), *leaves)

    return map_structure_with_tuple_paths(joined, *structure, **kwargs)


def map_structure_with_tuple_paths_up_to(
    shallow_tree: Structure, func: Callable[..., Structure], *inputs: Structure, **kwargs: object
) -> Structure:
    """As `map_structure_up_to`; the function gets the path first."""
    paths = list(yield_flat_paths(shallow_tree))
    flat = [flatten_up_to(shallow_tree, tree) for tree in inputs]
    results = [func(path, *leaves) for path, *leaves in zip(paths, *flat, strict=True)]
    return _nest.pack_sequence_as(shallow_tree, results)


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Structure]:
    """The parts of a structure at the places of the leaves of a shallower one."""
    return _nest.walker.flatten_up_to(shallow_tree, input_tree)


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[tuple[object, ...], Structure]]:
    """As `flatten_up_to`, each part with its path."""
    paths = yield_flat_paths(shallow_tree)
    return list(zip(paths, flatten_up_to(shallow_tree, input_tree), strict=True))


def map_structure_up_to(
    shallow_tree: Structure, func: Callable[..., Structure], *inputs: Structure, **kwargs: object
) -> Structure:
    """The shallower structure of what a function returns for parts of deeper ones."""
    flat = [flatten_up_to(shallow_tree, tree) for tree in inputs]
    results = [func(*parts) for parts in zip(*flat, strict=True)]
    return _nest.pack_sequence_as(shallow_tree, results)


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises an error if the first structure is not the outer part of the second.

    Raises:
        TypeError: if one is a leaf or a mapping where the other is not.
        ValueError: if lengths or keys differ.
    """
    flatten_up_to(shallow_tree, input_tree)


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Structure], Structure], structure: Any, expand_composites: bool = False
) -> Structure:
    """The outer part of a structure: a function says which children are gone into."""
    inside = traverse_fn(structure)
    if not is_nested(structure):
        return inside
    if isinstance(inside, bool):
        if not inside:
            return False
        parts = [get_traverse_shallow_structure(traverse_fn, c) for _, c in _items(structure)]
    else:
        parts = [
            get_traverse_shallow_structure(traverse_fn, child) if wanted else False
            for (_, child), wanted in zip(_items(structure), _nest.flatten(inside), strict=True)
        ]
    return sequence_like(structure, parts)


def sequence_like(instance: Structure, args: Iterable[Structure]) -> Structure:
    """A container like another one with other children."""
    return _nest.walker.rebuild(instance, list(args))


def _yield_value(iterable: Structure) -> Iterator[Structure]:
    yield from (child for _, child in _items(iterable))


def _yield_sorted_items(iterable: Structure) -> Iterator[tuple[object, Structure]]:
    yield from _items(iterable)


# The names by which other packages know them.
_sequence_like = sequence_like
_is_namedtuple = is_namedtuple
_is_mapping = is_mapping
_is_attrs = is_attrs


def list_to_tuple(structure: Structure) -> Structure:
    """The structure with tuples in place of lists."""
    if not is_nested(structure):
        return structure
    children = [list_to_tuple(child) for _, child in _items(structure)]
    return tuple(children) if isinstance(structure, list) else sequence_like(structure, children)


def flatten_dict_items(dictionary: Mapping[object, Structure]) -> dict[object, Structure]:
    """A dictionary of leaves from one with structures as keys and values.

    Raises:
        ValueError: if a key and its value differ in form, or a key is there twice.
    """
    flat: dict[object, Structure] = {}
    for key, value in dictionary.items():
        if not is_nested(key):
            pairs = [(key, value)]
        else:
            keys, values = _nest.flatten(key), _nest.flatten(value)
            if len(keys) != len(values):
                raise ValueError(
                    f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                    f"{len(values)} elements. Key: {keys}, value: {values}."
                )
            pairs = list(zip(keys, values, strict=True))
        for name, item in pairs:
            if name in flat:
                raise ValueError(
                    f"Could not flatten dictionary. The key {name} is not unique in {dictionary}"
                )
            flat[name] = item
    return flat
