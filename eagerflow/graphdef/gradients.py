"""Gradients of operations in exported graphs, whatever sizes are known.

TensorFlow has no operation for the gradient of another one that would also run inside of branches and loops.
So a gradient is exported as the operations that it consists of: those of the operation's gradient in the op
table. The gradients of lists of tensors leave elements unset there, which files cannot say: they have rules
here. An operation that is exported as simpler ones has their gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef import lowering
from eagerflow.graphdef.emitters import NoSuchNodeError

_ops = _core.ops
Tensor = _core.Tensor

GRADIENTS: dict[str, Callable[..., Any]] = {}


def summed_to(value: Tensor, like: Tensor) -> Tensor:
    """A gradient in the shape of an operand that was broadcast."""
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(like), s1=tf.shape(value))
    return tf.reshape(tf.reduce_sum(value, axes), tf.shape(like))


def is_known(forward: Any) -> bool:
    """Whether there is a gradient of a node's operation for unknown sizes."""
    op = forward.op
    return op in GRADIENTS or forward.has_entry_gradient or op in lowering.LOWERED


def of_operation(
    forward: Any, wanted: list[int], dy: list[Any], x: list[Any], y: list[Any]
) -> list[Any]:
    """Adds the gradients of some of an operation's inputs to the graph that is being built.

    Raises:
        NoSuchNodeError: if they are known only with the shapes.
    """
    if not is_known(forward):
        raise NoSuchNodeError(
            f"it is a gradient of {forward.op}, which is known only with its shapes; trace the function "
            "with known shapes"
        )
    operands = x[: forward.num_op_inputs]
    if forward.op in GRADIENTS:
        found = GRADIENTS[forward.op](dy, operands, y, _attributes(forward, x))
    elif forward.has_entry_gradient:
        found = [
            summed_to(gradient, operand) if unsummed else gradient
            for (gradient, unsummed), operand in zip(
                forward.entry_gradient(wanted, dy, x, y), operands, strict=True
            )
        ]
    else:
        found = _of_lowered(forward.op, _attributes(forward, x), dy, operands)
    return [tf.zeros_like(operands[k]) if found[k] is None else found[k] for k in wanted]


def _attributes(node: Any, x: list[Any]) -> dict[str, Any]:
    """The attributes of an operation, with tensors for what its inputs give of them."""
    attrs = dict(node.attrs)
    for name, element, which, position in node.late:
        if element < 0:
            attrs[name] = x[which]
            continue
        items = list(attrs[name])
        items[element] = tf.reshape(x[which], [-1])[position]
        attrs[name] = items
    return attrs


def _of_lowered(op: str, attrs: dict[str, Any], dy: list[Any], x: list[Any]) -> list[Any]:
    """The gradients of the simpler operations that an operation consists of."""
    function = lowering.LOWERED[op]
    real = [k for k, v in enumerate(x) if v.dtype.is_floating or v.dtype.is_complex]
    sources = [x[k] for k in real]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = function(*x, **attrs)
    y = list(y) if isinstance(y, list | tuple) else [y]
    found = tape.gradient(y, sources, dy, tf.UnconnectedGradients.ZERO)
    gradients = dict(zip(real, found, strict=True))
    return [gradients.get(k) for k in range(len(x))]


def _gradient(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        GRADIENTS.update(dict.fromkeys(names, function))
        return function

    return register


# Lists of tensors: their gradients are lists, too.


def _empty_like(items: Tensor, element: Tensor) -> Tensor:
    """A list as long as another one, whose elements are like a tensor."""
    count = _ops.tensor_list_length(items)
    return _ops.tensor_list_reserve(count, element.dtype, element_sizes(element.shape))


@_gradient("tensor_list_stack")
def _stack(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [_ops.tensor_list_from_tensor(dy[0], element_sizes(dy[0].shape[1:]))]


@_gradient("tensor_list_from_tensor")
def _from_tensor(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [_ops.tensor_list_stack(dy[0], x[0].dtype, element_sizes(x[0].shape[1:]))]


def element_sizes(shape: Any) -> list[int] | None:
    """The sizes of a list's elements, -1 for unknown ones; None if their number is unknown."""
    if shape.rank is None:
        return None
    return [-1 if size is None else size for size in shape.as_list()]


@_gradient("tensor_list_set_item")
def _set_item(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    _, index, item = x
    found = _ops.tensor_list_get_item(dy[0], index, item.dtype, element_sizes(item.shape))
    rest = _ops.tensor_list_set_item(dy[0], index, tf.zeros_like(item))
    return [_ops.tensor_list_resize(rest, _ops.tensor_list_length(x[0])), None, found]


@_gradient("tensor_list_get_item")
def _get_item(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [_ops.tensor_list_set_item(_empty_like(x[0], y[0]), x[1], dy[0]), None]


@_gradient("tensor_list_resize")
def _resize(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [_ops.tensor_list_resize(dy[0], _ops.tensor_list_length(x[0])), None]


@_gradient("tensor_list_scatter")
def _scatter(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    _, indices, values = x
    found = _ops.tensor_list_gather(dy[0], indices, values.dtype, element_sizes(values.shape[1:]))
    rest = _ops.tensor_list_scatter(dy[0], indices, tf.zeros_like(values))
    return [rest, None, found]


@_gradient("tensor_list_gather")
def _gather_items(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    empty = _ops.tensor_list_reserve(
        _ops.tensor_list_length(x[0]), dy[0].dtype, element_sizes(dy[0].shape[1:])
    )
    return [_ops.tensor_list_scatter(empty, x[1], dy[0]), None]


@_gradient("variant_add")
def _add_variants(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0], dy[0]]
