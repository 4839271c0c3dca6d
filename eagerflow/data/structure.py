"""The structure of a pipeline's elements: tuples and dictionaries of values, and their specs.

Lists are values here, not structure: they become tensors, as everywhere in `tf.data`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.dtypes import as_dtype
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import (
    NoneTensorSpec,
    TensorSpec,
    TypeSpec,
    WeakTensorSpec,
    is_weak,
)
from eagerflow.ragged.value import RaggedTensorValue
from eagerflow.sparse.tensor import SparseTensor, SparseTensorValue
from eagerflow.typing import Structure

Tensor = _core.Tensor
Variable = _core.Variable


@functools.cache
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A class of named tuples, the same one for the same names."""
    return namedtuple(name, fields)


def _rebuilt_mapping(like: Mapping[Any, Any], children: list[Any]) -> Any:
    try:
        return nest.MAPPING.rebuild(like, children)
    except TypeError:  # a class that cannot be made from items
        values = dict(zip(sorted(like), children, strict=True))
        return {key: values[key] for key in like}


def _container_of(kind: type) -> nest.Container | None:
    """The containers of elements: tuples, mappings, data classes, attrs, `__tf_flatten__`."""
    if issubclass(kind, tuple):
        return None if kind is SparseTensorValue else nest.tuple_container(kind)
    if issubclass(kind, Mapping):
        return nest.Container(nest.MAPPING.children, _rebuilt_mapping)
    if nest.flattens_itself(kind):
        return nest.SELF_FLATTENING
    if hasattr(kind, "__attrs_attrs__"):
        return nest.FIELDS
    if dataclasses.is_dataclass(kind) and not issubclass(kind, (type, TypeSpec)):
        return nest.FIELDS
    return None


_walker = nest.Walker(_container_of)
is_nested = _walker.is_nested
flatten = _walker.flatten
flatten_up_to = _walker.flatten_up_to
packer_like = _walker.packer


def pack(like: Structure, leaves: Sequence[object]) -> Any:
    """A structure of the form of `like` that holds other leaves."""
    return _walker.pack(like, leaves)


def map_structure(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Applies a function to corresponding leaves of structures of the same form.

    Raises:
        ValueError: if their forms differ.
        TypeError: if one is a tuple where another is a dictionary.
    """
    if not others:
        return _walker.map(function, first)
    if not is_nested(first):
        if any(is_nested(other) for other in others):
            raise ValueError(f"The structures {_forms(first, *others)} differ.")
        return function(first, *others)
    for other in others:
        if not is_nested(other):
            raise ValueError(f"The structures {_forms(first, other)} differ.")
        if isinstance(first, Mapping) != isinstance(other, Mapping):
            raise TypeError(f"The structures {_forms(first, other)} are of different types.")
        if isinstance(first, Mapping) and set(first) != set(other):
            raise ValueError(f"The keys of {_forms(first, other)} differ.")
    columns = [_walker.children(value) for value in (first, *others)]
    if any(len(column) != len(columns[0]) for column in columns):
        raise ValueError(f"The structures {_forms(first, *others)} differ in length.")
    results = [map_structure(function, *row) for row in zip(*columns, strict=True)]
    return _walker.rebuild(first, results)


def _forms(*values: object) -> str:
    return " and ".join(str(value)[:200] for value in values)


def as_leaf(value: object) -> Any:
    """A leaf of an element: a tensor of the value; composites, datasets and None are kept."""
    if isinstance(value, Tensor) or value is None:
        return value
    if type(value) is SparseTensorValue:
        return SparseTensor.from_value(value)
    if type(value) is RaggedTensorValue:
        return value.to_tensor_value()
    if not isinstance(value, Variable) and is_composite(value):
        return value
    return _core.as_tensor(value)


def only_plain(leaves: list[object]) -> bool:
    """Whether all leaves are tensors or None, neither ragged nor sparse."""
    return all(isinstance(leaf, Tensor) or leaf is None for leaf in leaves)


def is_composite(value: object) -> bool:
    """Whether `value` is made of several tensors, such as ragged tensors and datasets."""
    return hasattr(type(value), "_type_spec")


def normalize(value: Any) -> Any:
    """The same structure with every leaf as a tensor (or composite)."""
    if isinstance(value, Tensor):
        return value
    kind = type(value)
    if kind is tuple:
        for item in value:
            if not isinstance(item, Tensor):
                return tuple([normalize(child) for child in value])
        return value
    if kind is dict:
        return {key: normalize(child) for key, child in value.items()}
    return _walker.map(as_leaf, value)


def is_plain(spec: Structure) -> bool:
    """Whether elements consist of tensors in tuples and dictionaries, which the engine flattens."""
    if type(spec) is tuple:
        return all(map(is_plain, spec))
    if type(spec) is dict:
        return all(type(key) is str for key in spec) and all(map(is_plain, spec.values()))
    return type(spec) is TensorSpec


def plain_form(spec: Structure) -> Any:
    """A plain spec in the engine's words: None for a tensor."""
    if type(spec) is tuple:
        return tuple([plain_form(part) for part in spec])
    if type(spec) is dict:
        return {key: plain_form(part) for key, part in spec.items()}
    return None


def taker(spec: Structure) -> Callable[[Any], list[Any]]:
    """The function that lists the tensors of an element of a spec."""
    if not is_nested(spec):
        return spec.to_tensors
    specs = flatten(spec)

    def take(element: Structure) -> list[Any]:
        leaves = zip(specs, flatten(element), strict=True)
        return [tensor for leaf, value in leaves for tensor in leaf.to_tensors(value)]

    return take


def packer(spec: Structure) -> Callable[..., Any]:
    """The function that packs tensors into an element of a spec."""
    if not is_nested(spec):
        return lambda tensors: spec.from_tensors(iter(tensors))
    specs = flatten(spec)

    def make(tensors: list[Tensor]) -> Any:
        remaining = iter(tensors)
        return pack(spec, [leaf.from_tensors(remaining) for leaf in specs])

    return make


def normalize_result(value: object) -> Tensor:
    """The result of a user's function as an element; a list at the top becomes a tuple.

    Raises:
        TypeError: if it holds what cannot become a tensor.
    """
    if isinstance(value, Tensor):
        return value
    if type(value) is list:
        value = tuple(value)
    try:
        return normalize(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"A function of the pipeline returned {value!r:.200}, which cannot be an element: {error}"
        ) from error


def spec_of_leaf(leaf: Any) -> Any:
    """The spec that describes exactly this leaf."""
    if isinstance(leaf, Tensor):
        return (WeakTensorSpec if is_weak(leaf) else TensorSpec)(leaf.shape, leaf.dtype)
    if leaf is None:
        return NoneTensorSpec()
    if isinstance(leaf, TypeSpec):
        return leaf
    return leaf._type_spec


def slices_of(leaf: Any) -> Any:
    """The slices of a leaf along the first axis, by index; None for None."""
    if isinstance(leaf, Tensor) or leaf is None:
        return leaf
    return leaf._type_spec._slices(leaf)


def spec_of(value: object) -> Any:
    """The specs of an element, in its own structure."""
    return _walker.map(lambda leaf: spec_of_leaf(as_leaf(leaf)), value)


def has_weak(spec: Structure) -> bool:
    """Whether elements with these specs hold weak tensors."""
    return any(isinstance(leaf, WeakTensorSpec) for leaf in flatten(spec))


def weakened(element: Structure, spec: Structure) -> Any:
    """An element, with tensors that are weak where the specs say so."""
    return map_structure(
        lambda leaf, kind: _core.weakened(leaf) if isinstance(kind, WeakTensorSpec) else leaf,
        element,
        spec,
    )


def strengthened(element: Structure) -> Any:
    """An element without weak tensors."""
    return map_structure(lambda leaf: _core.strengthened(leaf) if is_weak(leaf) else leaf, element)


def merged_spec(first: Structure, second: Structure) -> Any:
    """The narrowest specs that describe the elements of both.

    Raises:
        TypeError: if there are none.
        ValueError: if the structures differ.
    """

    def merge(one: TypeSpec, other: TypeSpec) -> TypeSpec:
        if one == other:
            return one
        try:
            return one.most_specific_compatible_type(other)
        except ValueError as error:
            raise TypeError(f"No common supertype of {one} and {other}.") from error

    return map_structure(merge, first, second)


def batched_spec(spec: Structure, size: int | None) -> Any:
    """The spec of batches of leaves of this spec."""
    return map_structure(lambda leaf: leaf._batch(size), spec)


def unbatched_spec(spec: Structure) -> Any:
    """The spec of the slices along the first axis.

    Raises:
        ValueError: if a leaf is a scalar, or first sizes differ.
    """
    sizes = [
        leaf.shape.as_list()[0]
        for leaf in flatten(spec)
        if isinstance(leaf, TensorSpec) and leaf.shape.rank
    ]
    known = {size for size in sizes if size is not None}
    if len(known) > 1:
        raise ValueError(f"Cannot unbatch an input whose components have the sizes {sizes}.")

    def unbatched(leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec) and leaf.shape.rank == 0:
            raise ValueError("Cannot unbatch an input with scalar components.")
        return leaf._unbatch()

    return map_structure(unbatched, spec)


def spec_from_legacy(types: Structure, shapes: Structure) -> Any:
    """Specs from dtypes and shapes in two structures of the same form."""
    dtypes = flatten(types)
    dims: list[Any] = [None] * len(dtypes)
    if shapes is not None:
        dims = [
            shape if isinstance(shape, TensorShape) else TensorShape(shape)
            for shape in flatten_up_to(types, shapes)
        ]
    return pack(
        types,
        [TensorSpec(shape, as_dtype(dtype)) for shape, dtype in zip(dims, dtypes, strict=True)],
    )
