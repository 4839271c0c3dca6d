"""tf.xla.experimental: parts of graphs that TensorFlow compiles, which run as all others here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eagerflow import nest
from eagerflow.framework import context
from eagerflow.framework.operation import Operation
from eagerflow.ops.control_flow import no_op
from eagerflow.ops.conversion import convert_to_tensor

__all__ = ["compile", "jit_scope"]


@contextlib.contextmanager
def jit_scope(
    compile_ops: bool | Callable[..., bool] = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """A scope of operations that TensorFlow may compile together.

    Raises:
        RuntimeError: if operations run eagerly.

    >>> @tf.function
    ... def double(x):
    ...     with tf.xla.experimental.jit_scope():
    ...         return x + x
    >>> double(2)
    <tf.Tensor: shape=(), dtype=int32, numpy=4>
    """
    if context.executing_eagerly():
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. Try use "
            "it inside tf.function."
        )
    yield


def compile(computation: Callable[..., object], inputs: Sequence[Any] | None = None) -> Any:
    """What a function returns, with tensors in place of numbers.

    Args:
        computation: the function.
        inputs: its arguments.

    Returns:
        A list of tensors if the function returns one tensor, or several in a list or tuple; the same
        structure of tensors if it returns another one; an operation if it returns nothing.

    >>> tf.xla.experimental.compile(lambda x: x + 1, [2])
    [<tf.Tensor: shape=(), dtype=int32, numpy=3>]
    """
    outputs = computation(*map(convert_to_tensor, inputs or ()))
    if outputs is None:
        return no_op()
    if not nest.is_nested(outputs):
        outputs = [outputs]
    if isinstance(outputs, list | tuple) and not any(map(nest.is_nested, outputs)):
        return [
            convert_to_tensor(leaf) for leaf in outputs if not isinstance(leaf, Operation | None)
        ]
    return nest.map_structure(convert_to_tensor, outputs)
