"""The structure of a pipeline's elements: tuples and dictionaries of values, and their specs.

Lists are values here, not structure: they become tensors, as everywhere in `tf.data`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.dtype import DType, as_dtype
from eagerflow.nest import comes_apart
from eagerflow.shapes import TensorShape
from eagerflow.type_spec import TensorSpec, TypeSpec

Tensor = _core.Tensor
Variable = _core.Variable


class NoneTensorSpec(TypeSpec):
    """The spec of None, which may stand in an element where there is no value."""

    @property
    def value_type(self) -> type:
        """The type of None."""
        return type(None)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)


@functools.cache
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A class of named tuples, the same one for the same names."""
    return namedtuple(name, fields)


def is_nested(value: Any) -> bool:
    """Whether `value` is a tuple, a dictionary or a data class with fields."""
    kind = type(value)
    if kind is tuple or kind is dict:
        return True
    if kind is Tensor:
        return False
    return isinstance(value, (tuple, Mapping)) or _is_record(value)


def _is_record(value: Any) -> bool:
    kind = type(value)
    if hasattr(kind, "__attrs_attrs__") or comes_apart(kind):
        return True
    return dataclasses.is_dataclass(kind) and not isinstance(value, (type, TypeSpec))


def _fields(value: Any) -> list[str]:
    attrs = getattr(type(value), "__attrs_attrs__", None)
    if attrs is not None:
        return [field.name for field in attrs]
    return [field.name for field in dataclasses.fields(value)]


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        return iter(value)
    if isinstance(value, Mapping):
        return (value[key] for key in sorted(value))
    if comes_apart(type(value)):
        return iter(value.__tf_flatten__()[1])
    return (getattr(value, name) for name in _fields(value))


def flatten(value: Any) -> list:
    """The leaves in order; dictionaries are walked by their sorted keys."""
    if not is_nested(value):
        return [value]
    leaves: list = []
    for child in _children(value):
        if is_nested(child):
            leaves.extend(flatten(child))
        else:
            leaves.append(child)
    return leaves


def pack(like: Any, leaves: list) -> Any:
    """A structure of the form of `like` that holds other leaves."""
    if not is_nested(like):
        return leaves[0]
    return _pack(like, iter(leaves))


def _pack(like: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(like):
        return next(leaves)
    return _rebuild(like, [_pack(child, leaves) for child in _children(like)])


def _rebuild(like: Any, children: list) -> Any:
    kind = type(like)
    if kind is tuple:
        return tuple(children)
    if isinstance(like, tuple):
        return kind(*children) if hasattr(like, "_fields") else kind(children)
    if isinstance(like, Mapping):
        values = dict(zip(sorted(like), children, strict=True))
        pairs = ((key, values[key]) for key in like)
        if isinstance(like, defaultdict):
            return defaultdict(like.default_factory, pairs)
        if kind is dict or kind is OrderedDict:
            return kind(pairs)
        try:
            return kind(pairs)
        except TypeError:
            return dict(pairs)
    if comes_apart(kind):
        return like.__tf_unflatten__(like.__tf_flatten__()[0], tuple(children))
    return kind(**dict(zip(_fields(like), children, strict=True)))


def map_structure(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Applies a function to corresponding leaves of structures of the same form.

    Raises:
        ValueError: if their forms differ.
        TypeError: if one is a tuple where another is a dictionary.
    """
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
    columns = [list(_children(value)) for value in (first, *others)]
    if any(len(column) != len(columns[0]) for column in columns):
        raise ValueError(f"The structures {_forms(first, *others)} differ in length.")
    results = [map_structure(function, *row) for row in zip(*columns, strict=True)]
    return _rebuild(first, results)


def _forms(*values: Any) -> str:
    return " and ".join(str(value)[:200] for value in values)


def flatten_up_to(shallow: Any, value: Any) -> list:
    """The parts of `value` that stand where `shallow` has its leaves.

    Raises:
        ValueError: if `value` does not have the form of `shallow` down to its leaves.
        TypeError: if one is a tuple where another is a dictionary.
    """
    if not is_nested(shallow):
        return [value]
    if not is_nested(value) or isinstance(shallow, Mapping) != isinstance(value, Mapping):
        raise TypeError(f"{_forms(value)} does not have the form of {_forms(shallow)}.")
    if isinstance(shallow, Mapping) and set(shallow) != set(value):
        raise ValueError(f"The keys of {_forms(value)} are not those of {_forms(shallow)}.")
    outer, inner = list(_children(shallow)), list(_children(value))
    if len(outer) != len(inner):
        raise ValueError(f"{_forms(value)} does not have as many parts as {_forms(shallow)}.")
    parts: list = []
    for one, other in zip(outer, inner, strict=True):
        parts.extend(flatten_up_to(one, other))
    return parts


def as_leaf(value: Any) -> Any:
    """A value as a pipeline hands it on: a tensor, or a composite, a dataset or None as it is."""
    if type(value) is Tensor or value is None:
        return value
    if not isinstance(value, Variable) and is_composite(value):
        return value
    return _core.as_tensor(value)


def only_plain(leaves: list) -> bool:
    """Whether all leaves are tensors or None, neither ragged nor sparse."""
    return all(type(leaf) is Tensor or leaf is None for leaf in leaves)


def is_composite(value: Any) -> bool:
    """Whether `value` is made of several tensors, such as ragged tensors and datasets."""
    return hasattr(type(value), "_type_spec")


def normalize(value: Any) -> Any:
    """The same structure with every leaf as a tensor (or composite)."""
    kind = type(value)
    if kind is Tensor:
        return value
    if kind is tuple:
        for item in value:
            if type(item) is not Tensor:
                return tuple([normalize(child) for child in value])
        return value
    if kind is dict:
        return {key: normalize(child) for key, child in value.items()}
    if is_nested(value):
        return _rebuild(value, [normalize(child) for child in _children(value)])
    return as_leaf(value)


def normalize_result(value: Any) -> Any:
    """What a user's function returned, as an element: a list at the top stands for a tuple.

    Raises:
        TypeError: if it holds what cannot become a tensor.
    """
    if type(value) is Tensor:
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
    if type(leaf) is Tensor:
        return TensorSpec(leaf.shape, leaf.dtype)
    if leaf is None:
        return NoneTensorSpec()
    if isinstance(leaf, TypeSpec):
        return leaf
    return leaf._type_spec


def spec_of(value: Any) -> Any:
    """The specs of an element, in its own structure."""
    if is_nested(value):
        return _rebuild(value, [spec_of(child) for child in _children(value)])
    return spec_of_leaf(as_leaf(value))


def merged_spec(first: Any, second: Any) -> Any:
    """The narrowest specs that describe the elements of both.

    Raises:
        TypeError: if there are none.
        ValueError: if the structures differ.
    """

    def merge(one: Any, other: Any) -> Any:
        if one == other:
            return one
        try:
            return one.most_specific_compatible_type(other)
        except ValueError as error:
            raise TypeError(f"No common supertype of {one} and {other}.") from error

    return map_structure(merge, first, second)


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of batches of leaves of this spec."""

    def batched(leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec):
            return TensorSpec(TensorShape([size]).concatenate(leaf.shape), leaf.dtype)
        if isinstance(leaf, NoneTensorSpec):
            return leaf
        return _composites().batched(leaf, size)

    return map_structure(batched, spec)


def _composites() -> Any:
    """What knows ragged and sparse tensors, imported when there are some."""
    from eagerflow.data import composites

    return composites


def unbatched_spec(spec: Any) -> Any:
    """The spec of the slices along the first axis.

    Raises:
        ValueError: if a leaf is a scalar, or first sizes differ.
    """
    sizes = [
        leaf.shape[0] for leaf in flatten(spec) if isinstance(leaf, TensorSpec) and leaf.shape.rank
    ]
    known = {size for size in sizes if size is not None}
    if len(known) > 1:
        raise ValueError(f"Cannot unbatch an input whose components have the sizes {sizes}.")

    def unbatched(leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec):
            if leaf.shape.rank == 0:
                raise ValueError("Cannot unbatch an input with scalar components.")
            dims = None if leaf.shape.rank is None else leaf.shape[1:]
            return TensorSpec(dims, leaf.dtype)
        if isinstance(leaf, NoneTensorSpec):
            return leaf
        return _composites().unbatched(leaf)

    return map_structure(unbatched, spec)


def spec_from_legacy(types: Any, shapes: Any) -> Any:
    """Specs from dtypes and shapes given as two structures of the same form."""
    dtypes = flatten(types)
    dims: list[Any] = [None] * len(dtypes)
    if shapes is not None:
        dims = [
            shape if isinstance(shape, TensorShape) else TensorShape(shape)
            for shape in _flat_shapes(types, shapes)
        ]
    return pack(
        types,
        [TensorSpec(shape, as_dtype(dtype)) for shape, dtype in zip(dims, dtypes, strict=True)],
    )


def _flat_shapes(types: Any, shapes: Any) -> list:
    """Shapes at the leaves of `types`; a shape may itself be a tuple."""
    return flatten_up_to(types, shapes)


def zero_like(spec: Any, unknown: int = 1) -> Any:
    """Values of these specs: zeros, with a size of `unknown` where it may be any."""

    def zero(leaf: Any) -> Any:
        if isinstance(leaf, TensorSpec):
            dims = [] if leaf.shape.rank is None else leaf.shape.as_list()
            sizes = [unknown if size is None else size for size in dims]
            return zeros(sizes, leaf.dtype)
        if isinstance(leaf, NoneTensorSpec):
            return None
        if hasattr(leaf, "_zero"):
            return leaf._zero(unknown)
        return _composites().zero(leaf, unknown)

    return map_structure(zero, spec)


def zeros(sizes: Any, dtype: DType) -> Tensor:
    """Zeros, empty strings or False."""
    return _core.ops.zeros(sizes, dtype)
