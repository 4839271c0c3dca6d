"""Rules over single strings, applied to tensors of any shape, in graphs too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.tensor import items
from eagerflow.ragged.graph_specs import convert
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.strings.elementwise import byte_vector, each, row_spec, rows, strings
from eagerflow.typing import DTypeLike, TensorLike

Tensor = _core.Tensor
# A token, and the bytes where it begins and ends.
Piece = tuple[Any, int, int]
Rule = Callable[[bytes], Iterable[Piece]]


def cut_with_offsets(
    rule: Rule, value: TensorLike, op: str, dtype: DTypeLike = dtypes.string
) -> tuple[Any, Any, Any]:
    """Cuts each string by a rule.

    Args:
        rule: gives the pieces of a string.
        value: strings of any shape, also ragged.
        op: the operation's name in graphs and messages.
        dtype: the dtype of the pieces.

    Returns:
        The pieces, and int64 offsets of their beginnings and ends: vectors for a single string,
        else ragged tensors with one axis more.

    >>> from eagerflow_compat.text import pieces
    >>> rule = lambda text: [(text[:1], 0, 1)]
    >>> pieces.cut_with_offsets(rule, ["abc", "de"], "Initials")[0].to_list()
    [[b'a'], [b'd']]
    """
    value = convert(value, None)
    if isinstance(value, RaggedTensor):
        parts = cut_with_offsets(rule, value.flat_values, op, dtype)
        return tuple(value.with_flat_values(_like(part, value)) for part in parts)  # type: ignore[return-value]
    x = strings(value, op)
    if _core.building() is not None:
        specs = tuple(row_spec(x, each) for each in (dtype, dtypes.int64, dtypes.int64))
        return host_call(cut_with_offsets, specs, (rule, x, op, dtype), name=op)
    found = [list(rule(item)) for item in items(x)]
    shape = x._shape_tuple()
    tokens, starts, ends = (
        [[piece[part] for piece in pieces] for pieces in found] for part in range(3)
    )
    as_numbers = _vector_of(dtypes.int64)
    join = byte_vector if dtype is dtypes.string else _vector_of(dtype)
    return rows(tokens, shape, join), rows(starts, shape, as_numbers), rows(ends, shape, as_numbers)


def _like(part: Any, value: RaggedTensor) -> Any:
    """The rows with offsets of the dtype of those around them."""
    if not isinstance(part, RaggedTensor):
        return part
    return part.with_row_splits_dtype(value._partition.dtype)


def _vector_of(dtype: DTypeLike) -> Callable[[list], Tensor]:
    kind = dtypes.as_dtype(dtype).as_numpy_dtype
    return lambda values: _core.as_tensor(np.array(values, kind))


def changed(rule: Callable[[bytes], bytes], value: TensorLike, op: str) -> Any:
    """Changes each string by a rule.

    >>> from eagerflow_compat.text import pieces
    >>> pieces.changed(bytes.upper, ["abc"], "Upper").numpy()
    array([b'ABC'], dtype=object)
    """
    value = convert(value, None)
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(changed(rule, value.flat_values, op))
    return each(rule, value, op)
