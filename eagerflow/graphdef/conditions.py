"""Conditions on the arguments of TensorFlow's operations: `op_defs.txt` and `conditions.txt`.

A declaration states the ranks of inputs and the limits of attributes. A rule is a call of ours that computes
an operation. If that call accepts arguments that the operation refuses, a line of `conditions.txt` states
the operation's condition.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
import os
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from eagerflow import _core, nest
from eagerflow.framework import dtypes
from eagerflow.framework.sizes import Size, count_of, may_equal, sizes_of
from eagerflow.graphdef.op_defs import Argument, Attribute, OpDef
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.assertions import require

_ops = _core.ops
Tensor = _core.Tensor

_SHOWN = 8  # elements of a tensor in a message


class Condition(NamedTuple):
    """An expression that has to be true of an operation's arguments."""

    text: str
    code: CodeType
    # The arguments that it reads.
    names: tuple[str, ...]


@functools.cache
def texts() -> dict[str, list[str]]:
    """The expressions for each operation that has conditions."""
    path = os.path.join(os.path.dirname(__file__), "conditions.txt")
    found: dict[str, list[str]] = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            names, _, text = line.strip().partition(": ")
            if names and not names.startswith("#"):
                for name in names.split(", "):
                    found.setdefault(name, []).extend(text.split("; "))
    return found


@functools.cache
def of_operation(name: str) -> list[Condition]:
    """The conditions of an operation; they are compiled when they are first asked for."""
    return [_parsed(text) for text in texts().get(name, ())]


class _Equality(ast.NodeTransformer):
    """Compares values: tensors of a program's graph are equal if they are the same."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ops[0], ast.Eq):
            return node
        function = ast.Name("equals", ast.Load())
        return ast.copy_location(ast.Call(function, [node.left, *node.comparators], []), node)


def _parsed(text: str) -> Condition:
    tree = ast.fix_missing_locations(_Equality().visit(ast.parse(text, mode="eval")))
    code = compile(tree, f"<{text}>", "eval")
    return Condition(text, code, tuple(name for name in code.co_names if name not in _HELPERS))


def check(definition: OpDef, arguments: Mapping[str, object]) -> None:
    """Checks the arguments of an operation: at once, or, if their values are unknown, in the graph.

    Args:
        definition: the operation.
        arguments: its inputs and attributes by name.

    Raises:
        InvalidArgumentError: if they violate the declaration or a condition.
    """
    for attribute in definition.attributes.values():
        if attribute.least is not None or attribute.allowed:
            _check_attribute(definition.name, attribute, arguments.get(attribute.name))
    for argument in definition.inputs:
        if argument.ranks:
            _check_rank(definition.name, argument, arguments[argument.name])
    for argument in definition.inputs:
        if argument.number:
            _check_number(definition, argument, arguments)
    for condition in of_operation(definition.name):
        _check(definition.name, condition, arguments)


def _check_attribute(name: str, attribute: Attribute, value: object) -> None:
    if attribute.allowed:
        if isinstance(value, str) and value not in attribute.allowed:
            _core.refuse_attr(attribute.name, value, attribute.allowed, name)
        return
    assert attribute.least is not None
    if isinstance(value, list | tuple):
        if len(value) < attribute.least:
            raise invalid_argument(
                f"Length for attr '{attribute.name}' of {len(value)} must be at least minimum "
                f"{attribute.least} [Op:{name}]"
            )
    elif isinstance(value, int) and value < attribute.least:
        raise invalid_argument(
            f"Value for attr '{attribute.name}' of {value} must be at least minimum "
            f"{attribute.least} [Op:{name}]"
        )


def _check_number(definition: OpDef, argument: Argument, arguments: Mapping[str, Any]) -> None:
    """Checks the length of a list of tensors, which others may have to share."""
    number, count = argument.number, len(arguments[argument.name])
    first = next(arg for arg in definition.inputs if arg.number == number)
    if count != len(arguments[first.name]):
        raise ValueError(
            f"List argument '{argument.name}' to '{definition.name}' Op with length {count} must match "
            f"length {len(arguments[first.name])} of argument '{first.name}'."
        )
    _check_attribute(definition.name, definition.attributes[number], count)


def _check_rank(name: str, argument: Argument, value: Any) -> None:
    if isinstance(value, Tensor) and value.ndim is not None and not argument.allows(value.ndim):
        kind = {"0": "a scalar", "1": "a vector", "2": "a matrix"}.get(
            argument.ranks, f"of rank {argument.ranks.replace('|', ' or ')}"
        )
        raise invalid_argument(
            f"{argument.name} must be {kind}, got shape {value.shape.as_list()} [Op:{name}]"
        )


def _check(name: str, condition: Condition, arguments: Mapping[str, object]) -> None:
    given = {key: arguments[key] for key in condition.names if key in arguments}

    def refuse(*tensors: Tensor) -> None:
        found = iter(tensors)
        values = nest.map_structure(
            lambda value: next(found) if isinstance(value, Tensor) else value, given
        )
        shown = ", ".join(f"{key} = {_shown(value)}" for key, value in values.items())
        raise invalid_argument(f"{name} needs `{condition.text}`, got {shown} [Op:{name}]")

    holds = eval(condition.code, {**_HELPERS, **given})
    tensors = [value for value in nest.flatten(given) if isinstance(value, Tensor)]
    if isinstance(holds, Tensor):
        require(holds, refuse, *tensors)
    elif not holds:
        refuse(*tensors)


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if not isinstance(value, Tensor):
        return repr(value)
    if _core.is_symbolic(value) or value._size > _SHOWN:
        return f"{value.dtype.name} of shape {value.shape}"
    return f"{value.numpy().tolist()} of shape {value.shape}" if value.ndim else str(value.numpy())


# Functions that conditions call. They return a bool, or a boolean tensor if the result depends on values of
# a graph. Unknown sizes and ranks pass.


def _equals(*values: Any) -> Tensor | bool:
    """Whether values are equal; a tensor and another value, element by element."""
    if any(isinstance(value, Tensor) for value in values):
        return _ops.equal(*values)
    return all(a == b for a, b in itertools.pairwise(values))


def _rank(x: Tensor, rank: int) -> bool:
    """Whether tensors have a rank."""
    return all(tensor.ndim in (rank, None) for tensor in _listed(x))


def _least_rank(x: Tensor, rank: int) -> bool:
    """Whether tensors have a rank or a higher one."""
    return all(tensor.ndim is None or tensor.ndim >= rank for tensor in _listed(x))


def _listed(x: Any) -> Sequence[Tensor]:
    return [x] if isinstance(x, Tensor) else x


def _same_shape(*tensors: Tensor) -> bool:
    """Whether tensors may have one shape."""
    shapes = [tensor._shape_tuple() for tensor in tensors]
    return all(may_equal(shapes[0], shape) for shape in shapes[1:])


def _same_batch(x: Tensor, y: Tensor) -> bool:
    """Whether matrices may have the same outer axes."""
    a, b = x._shape_tuple(), y._shape_tuple()
    return a is None or b is None or may_equal(a[:-2], b[:-2])


def _same_rows(x: Tensor, y: Tensor) -> bool:
    """Whether tensors, which have axes, may have the same first size."""
    a, b = x._shape_tuple(), y._shape_tuple()
    return a is None or b is None or may_equal(a[:1], b[:1])


def _integer(x: Tensor) -> bool:
    """Whether a tensor holds sizes."""
    return x.dtype in (dtypes.int32, dtypes.int64)


def _countable(shape: Tensor) -> bool:
    """Whether the number of elements of a shape, if known, fits into int64."""
    known = _core.static_value(shape)
    return known is None or math.prod(known.numpy().reshape(-1).tolist()) < 2**63


def _of_shape(x: Tensor, sizes: Sequence[int | None]) -> bool:
    """Whether a tensor may have these sizes; None is any."""
    return may_equal(x._shape_tuple(), tuple(sizes))


def _axis_size(x: Tensor, axis: int) -> Size:
    """The size of an axis; an int32 scalar where it is not known."""
    return sizes_of(x)[axis]


def _known_sizes(x: Tensor) -> Sequence[int | None]:
    """The sizes that are known, None for others; none at all without a rank."""
    return x._shape_tuple() or ()


def _pooled(
    x: Tensor, ksize: Sequence[int], strides: Sequence[int], padding: str
) -> list[int | None]:
    """The sizes of a tensor after pooling along the second and third axes."""
    return [
        size
        if axis in (0, 3) or size is None
        else -(-size // strides[axis])
        if padding == "SAME"
        else max((size - ksize[axis]) // strides[axis] + 1, 0)
        for axis, size in enumerate(_known_sizes(x))
    ]


def _is_empty(x: Tensor) -> bool:
    """Whether a tensor is known to have no elements."""
    return x._size == 0


def _may_be_empty(x: Tensor) -> bool:
    """Whether a tensor has no elements, or may have none."""
    return x._size in (0, None)


def _row_size(x: Tensor) -> Size:
    """The number of elements for each index of the first axis."""
    known = x._shape_tuple()
    if known is None or None in known[1:]:
        return _ops.reduce_prod(_ops.shape(x)[1:])
    return math.prod(known[1:])


def _every(flags: Tensor) -> Tensor | bool:
    """Whether all elements are true."""
    return _ops.reduce_all(flags) if isinstance(flags, Tensor) else bool(flags)


def _within(x: Any, low: Any, limit: Any) -> Tensor | bool:
    """Whether all elements are at least `low` and less than `limit`."""
    if isinstance(x, Tensor):
        low, limit = (
            _ops.cast(item, x.dtype) if isinstance(item, Tensor) else item for item in (low, limit)
        )
        return _ops.reduce_all(_ops.logical_and(x >= low, x < limit))
    return all(low <= item < limit for item in (x if isinstance(x, list | tuple) else [x]))


def _ascending(x: Any) -> Tensor | bool:
    """Whether a vector is sorted in ascending order."""
    if isinstance(x, Tensor):
        return _ops.reduce_all(_ops.logical_not(x[1:] < x[:-1]))
    return not any(b < a for a, b in zip(x, x[1:], strict=False))


def _splits_fit(nested: Sequence[Tensor], values: Tensor, may_leave: bool = False) -> bool | Tensor:
    """Whether each vector of splits ascends from 0 to the number of rows of the next, or of the values.

    With `may_leave`, there may be more rows.
    """
    is_end = _ops.less_equal if may_leave else _ops.equal
    if any(splits.ndim != 1 or splits._size == 0 for splits in nested):
        return False
    counts = [_ops.shape(splits)[0] - 1 for splits in nested[1:]] + [_ops.shape(values)[0]]
    flags = [
        _ops.reduce_all(
            _ops.stack(
                [
                    _equals(splits[0], 0),
                    is_end(splits[-1], _ops.cast(n, splits.dtype)),
                    _ascending(splits),
                ]
            )
        )
        for splits, n in zip(nested, counts, strict=True)
    ]
    return _ops.reduce_all(_ops.stack(flags))


def _in_bounds(indices: Tensor, shape: Tensor) -> bool | Tensor:
    """Whether the indices `[n, rank]` of a sparse tensor lie within its shape, which has no size below 0."""
    columns = indices._shape_tuple()
    if columns is not None and not may_equal(columns, (None, shape._size)):
        return False
    return _ops.logical_and(
        _ops.reduce_all(shape >= 0),
        _ops.reduce_all(_ops.logical_and(indices >= 0, indices < shape)),
    )


def _in_order(indices: Tensor, shape: Tensor) -> bool | Tensor:
    """Whether the indices of a sparse tensor lie within its shape, in row-major order, none twice."""
    inside = _in_bounds(indices, shape)
    if inside is False:
        return False
    before, after = indices[:-1], indices[1:]
    # The first coordinate in which neighbours differ has to grow.
    differs = _ops.cast(_ops.not_equal(before, after), indices.dtype)
    first = _ops.multiply(differs, _ops.cast(_ops.equal(_ops.cumsum(differs, 1), 1), differs.dtype))
    grows = _ops.reduce_sum(_ops.multiply(first, _ops.subtract(after, before)), [1]) > 0
    return _ops.logical_and(inside, _ops.reduce_all(grows))


def _half_spectrum(lengths: Tensor) -> Tensor:
    """The sizes of a real signal's spectrum, whose last axis has about half the length."""
    return _ops.concat([lengths[:-1], lengths[-1:] // 2 + 1], 0)


def _rank_of(x: Tensor) -> int | None:
    return x.ndim


_HELPERS: dict[str, Any] = {
    "all": all,
    "len": len,
    "zip": zip,
    "ascending": _ascending,
    "axis_size": _axis_size,
    "count": count_of,
    "countable": _countable,
    "equals": _equals,
    "every": _every,
    "finite": _ops.is_finite,
    "half_spectrum": _half_spectrum,
    "in_bounds": _in_bounds,
    "in_order": _in_order,
    "integer": _integer,
    "is_empty": _is_empty,
    "known_sizes": _known_sizes,
    "least_rank": _least_rank,
    "may_be_empty": _may_be_empty,
    "of_shape": _of_shape,
    "pooled": _pooled,
    "rank": _rank,
    "rank_of": _rank_of,
    "row_size": _row_size,
    "same_batch": _same_batch,
    "same_rows": _same_rows,
    "same_shape": _same_shape,
    "sizes": _ops.shape,
    "splits_fit": _splits_fit,
    "sum_of": _ops.reduce_sum,
    "within": _within,
}
