"""Which operations run as one."""

from __future__ import annotations

from collections.abc import Callable

from eagerflow import _core, nest
from eagerflow.framework.tensor import Tensor
from eagerflow.util.text import Listing


def show_fusion(function: Callable[..., object], *args: object, **kwargs: object) -> str:
    """Runs a function and tells which of its elementwise operations ran as one.

    Results of elementwise operations on large tensors are deferred until values are needed, then
    computed together, in one pass over memory. In functions made by `tf.function` the graph is cut
    into such chains beforehand. Attention that is written as two products and a softmax also runs
    as one. The environment variable `EAGERFLOW_FUSE=0` runs every operation by itself.

    Args:
        function: any function; it is called once.
        *args: its arguments.
        **kwargs: its keyword arguments.

    Returns:
        A line for each group of operations that ran as one in the calling thread: TensorFlow's
        names of the operations, their results, and how many tensors were read and written. The
        results of the function are computed, too.

    >>> x, y = tf.ones([1000, 1000]), tf.ones([1000, 1000])
    >>> print(tf.debug.show_fusion(lambda: tf.tanh(x * y) + x))
    Mul, Tanh, AddV2 -> float32[1000, 1000] (2 read, 1 written)
    >>> print(tf.debug.show_fusion(lambda: tf.reduce_sum(tf.square(x - y))))
    Sub, Square -> float32[1000, 1000], read by a reduction (2 read, none written)
    """
    _core.note_fusions()
    try:
        for value in nest.flatten(function(*args, **kwargs), expand_composites=True):
            if isinstance(value, Tensor) and hasattr(value, "numpy"):
                value.numpy()
    finally:
        noted = _core.take_fusions()
    return Listing("\n".join(_line(*fusion) for fusion in noted))


def _line(
    names: tuple[str, ...], by: str, dtype: str, shape: tuple[int, ...], reads: int, writes: int
) -> str:
    value = f"{dtype}{list(shape)}"
    if by.startswith("attention"):
        return f"{', '.join(names)} -> {value}, as {by}"
    if by != "chain":
        return f"{', '.join(names)} -> {value}, read by a {by} ({reads} read, none written)"
    return f"{', '.join(names)} -> {value} ({reads} read, {writes} written)"
