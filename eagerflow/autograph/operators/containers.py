"""Lists and their elements, where a program has asked for the feature LISTS.

A list of such a function is Python's, until a loop over tensors appends to it: there it is a TensorArray,
whose elements all have the dtype and shape of the first one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.autograph.operators.staging import Tensor
from eagerflow.ops.tensor_array import TensorArray

_ops = _core.ops


class ListPopOpts(NamedTuple):
    """What is declared about a list from which an element is taken."""

    element_dtype: Any
    element_shape: Any


class ListStackOpts(NamedTuple):
    """What is declared about a list that is stacked, and the function that was called."""

    element_dtype: Any
    original_call: Callable[[Any], Any]


class GetItemOpts(NamedTuple):
    """What is declared about a list of which an element is read."""

    element_dtype: Any


class GrowingList(list):
    """A list to which staged loops and branches may append."""


class EmptyArray:
    """A list that is empty when a loop or branch begins: the dtype of its elements is not known yet."""


def new_list(iterable: Any = ()) -> GrowingList:
    """A list of elements."""
    return GrowingList(iterable)


def as_loop_variable(value: object) -> Any:
    """What a variable of a staged loop or branch begins with: a TensorArray for a list."""
    if not isinstance(value, GrowingList):
        return value
    if not value:
        return EmptyArray()
    elements = [_core.as_tensor(element) for element in value]
    array = _array_like(elements[0], len(elements))
    for k, element in enumerate(elements):
        array = array.write(k, element)
    return array


def _array_like(element: Tensor, size: int) -> TensorArray:
    """A list of tensors like this one that can grow."""
    return TensorArray(
        element.dtype,
        size=size,
        dynamic_size=True,
        clear_after_read=False,
        element_shape=element.shape,
    )


def empty_like(array: TensorArray) -> TensorArray:
    """An empty list of such elements."""
    return TensorArray(
        array.dtype,
        size=0,
        dynamic_size=True,
        clear_after_read=False,
        element_shape=array.element_shape,
    )


def list_append(list_: Any, x: Any) -> Any:
    """The list with an element at its end."""
    if isinstance(list_, EmptyArray):
        x = _core.as_tensor(x)
        return _array_like(x, 0).write(0, x)
    if isinstance(list_, TensorArray):
        return list_.write(list_.size(), x)
    list_.append(x)
    return list_


def list_pop(list_: Any, i: Any, opts: ListPopOpts) -> tuple[Any, Any]:
    """The list without an element, and the element.

    Raises:
        NotImplementedError: for a list that a loop over tensors changes.
    """
    if isinstance(list_, TensorArray | EmptyArray):
        raise NotImplementedError(
            "pop() of a list in a loop over tensors is not supported: use a tf.TensorArray and count."
        )
    element = list_.pop() if i is None else list_.pop(i)
    return list_, element


def list_stack(list_: object, opts: ListStackOpts) -> Any:
    """The elements of a list in one tensor."""
    return list_.stack() if isinstance(list_, TensorArray) else opts.original_call(list_)


def get_item(target: Any, i: Any, opts: GetItemOpts) -> Any:
    """`target[i]`."""
    if isinstance(target, TensorArray):
        return target.read(i)
    return target[i]


def set_item(target: Any, i: Any, x: Any) -> Any:
    """The object after `target[i] = x`; tensors are replaced by changed ones."""
    if isinstance(target, TensorArray):
        return target.write(i, x)
    if isinstance(target, Tensor):
        if isinstance(i, slice):
            raise NotImplementedError("slices of tensors cannot be assigned")
        return _ops.tensor_scatter_nd_update(target, [[i]], [x])
    target[i] = x
    return target


_UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.iadd,
    "div": operator.itruediv,
    "mult": operator.imul,
    "pow": operator.ipow,
    "sub": operator.isub,
}


def update_item_with_op(target: object, i: object, x: Any, op: str) -> Any:
    """The object after `target[i] += x`, or another operator's assignment."""
    return set_item(target, i, _UPDATES[op](get_item(target, i, GetItemOpts(None)), x))
